#include "apps/io/hdf5_file.hpp"

#include <algorithm>
#include <limits>

#ifdef EIGEN_G_HAVE_HDF5
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/io/hdf5_handle.hpp"
#include "apps/io/isolated.hpp"
#include "apps/io/npy.hpp"
#include "hybrid/machine/cpu.hpp"
#endif

namespace eigen_g::io {

bool begins_as_hdf5(std::string_view text) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  for (std::size_t at = 0; at < text.size(); at = std::max<std::size_t>(512, 2 * at))
    if (text.substr(at, signature.size()) == signature) return true;
  return false;
}

#ifndef EIGEN_G_HAVE_HDF5

std::string hdf5_version() {
  return "";
}

std::vector<std::filesystem::path> hdf5_files(const MappedFile&, const std::string&) {
  return {};
}

std::shared_ptr<const MappedFile> open_hdf5(std::shared_ptr<const MappedFile> file, const std::string&,
                                            DatasetShape) {
  throw FileError(file->path(), 0, "is an HDF5 file, and this program is built without HDF5");
}

#else

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  ::H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

namespace {

constexpr int max_dimensions = 8;

// The child process returns this description of a dataset. It is copied as bytes, so it holds no pointers.
struct Found {
  std::array<char, PATH_MAX> file{};  // file in which the dataset lies
  std::array<char, 256> name{};
  std::array<char, 8> descr{};  // element type, of the elements in place or as HDF5 converts them
  std::int64_t shape[max_dimensions] = {};
  int dimensions = 0;
  bool by_columns = false;  // written by MATLAB
  bool chunked = false;
  std::int64_t element_bytes = 0, bytes = 0;
  std::int64_t place = -1;  // offset of the elements in the file; -1: HDF5 must read them
};
static_assert(std::is_trivially_copyable_v<Found>);

std::string printable(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  return text.substr(0, 100);
}

// How elements of an HDF5 type are read.
struct Elements {
  std::string descr;  // .npy name of the type in the file; "": .npy has none
  std::string read_descr;
  Hdf5Handle memory{H5I_INVALID_HID, H5Tclose};
  std::string fault;  // reason why these elements cannot be read; "": none
};

std::string of_this_machine(const char* type) {
  return (std::endian::native == std::endian::little ? "<" : ">") + std::string(type);
}

std::string standard_float(hid_t type) {
  const std::pair<hid_t, const char*> all[] = {
      {H5T_IEEE_F32LE, "<f4"}, {H5T_IEEE_F32BE, ">f4"}, {H5T_IEEE_F64LE, "<f8"}, {H5T_IEEE_F64BE, ">f8"}};
  for (const auto& [standard, descr] : all)
    if (::H5Tequal(type, standard) > 0) return descr;
  return "";
}

std::string standard_integer(hid_t type) {
  const std::pair<hid_t, const char*> all[] = {
      {H5T_STD_I8LE, "|i1"},  {H5T_STD_U8LE, "|u1"},  {H5T_STD_I8BE, "|i1"},  {H5T_STD_U8BE, "|u1"},
      {H5T_STD_I16LE, "<i2"}, {H5T_STD_U16LE, "<u2"}, {H5T_STD_I16BE, ">i2"}, {H5T_STD_U16BE, ">u2"},
      {H5T_STD_I32LE, "<i4"}, {H5T_STD_U32LE, "<u4"}, {H5T_STD_I32BE, ">i4"}, {H5T_STD_U32BE, ">u4"},
      {H5T_STD_I64LE, "<i8"}, {H5T_STD_U64LE, "<u8"}, {H5T_STD_I64BE, ">i8"}, {H5T_STD_U64BE, ">u8"}};
  for (const auto& [standard, descr] : all)
    if (::H5Tequal(type, standard) > 0) return descr;
  return "";
}

Hdf5Handle native_float(bool wide) {
  return {::H5Tcopy(wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT), H5Tclose};
}

std::string member_name(hid_t type, unsigned index) {
  char* const name = ::H5Tget_member_name(type, index);
  std::string text = name ? name : "";
  ::H5free_memory(name);
  return text;
}

// True for the names (r, i), (re, im) and (real, imag), in this order, in upper or lower case.
bool named_as_complex(std::string re, std::string im) {
  for (std::string* name : {&re, &im})
    for (char& c : *name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return (re == "r" && im == "i") || (re == "re" && im == "im") || (re == "real" && im == "imag");
}

Elements complex_elements(hid_t type) {
  Elements elements;
  elements.fault = "a compound type; only pairs (r, i), (re, im) or (real, imag) of floats are read";
  if (::H5Tget_nmembers(type) != 2) return elements;
  const std::string re = member_name(type, 0), im = member_name(type, 1);
  const Hdf5Handle part(::H5Tget_member_type(type, 0), H5Tclose),
      other(::H5Tget_member_type(type, 1), H5Tclose);
  if (!named_as_complex(re, im) || ::H5Tget_class(part) != H5T_FLOAT || ::H5Tequal(part, other) <= 0)
    return elements;
  const std::size_t size = ::H5Tget_size(part);
  const bool wide = size > sizeof(float), packed = ::H5Tget_member_offset(type, 0) == 0 &&
                                                   ::H5Tget_member_offset(type, 1) == size &&
                                                   ::H5Tget_size(type) == 2 * size;
  const std::string standard = standard_float(part);
  if (packed && !standard.empty()) elements.descr = standard[0] + std::string(wide ? "c16" : "c8");
  elements.read_descr = of_this_machine(wide ? "c16" : "c8");
  const Hdf5Handle native = native_float(wide);
  const std::size_t step = wide ? sizeof(double) : sizeof(float);
  elements.memory = Hdf5Handle(::H5Tcreate(H5T_COMPOUND, 2 * step), H5Tclose);
  if (::H5Tinsert(elements.memory, re.c_str(), 0, native) < 0 ||
      ::H5Tinsert(elements.memory, im.c_str(), step, native) < 0)
    return elements;
  elements.fault.clear();
  return elements;
}

Elements elements_of(hid_t type) {
  Elements elements;
  switch (::H5Tget_class(type)) {
    case H5T_FLOAT: {
      const bool wide = ::H5Tget_size(type) > sizeof(float);
      elements.descr = standard_float(type);
      elements.read_descr = of_this_machine(wide ? "f8" : "f4");
      elements.memory = native_float(wide);
      break;
    }
    case H5T_INTEGER:
      elements.descr = standard_integer(type);
      elements.read_descr = of_this_machine("f8");
      elements.memory = native_float(true);
      break;
    case H5T_ENUM: {  // h5py's booleans; HDF5 does not convert them, so they are read as stored
      const Hdf5Handle base(::H5Tget_super(type), H5Tclose);
      elements.descr = elements.read_descr = standard_integer(base);
      elements.memory = Hdf5Handle(::H5Tcopy(type), H5Tclose);
      if (elements.descr.empty()) elements.fault = "an enumeration";
      break;
    }
    case H5T_COMPOUND:
      return complex_elements(type);
    case H5T_STRING:
      elements.fault = "text";
      break;
    case H5T_REFERENCE:
      elements.fault = "references, as MATLAB's cell arrays do";
      break;
    default:
      elements.fault = "elements that are not numbers";
  }
  return elements;
}

bool is_by_columns(hid_t dataset) {
  return ::H5Aexists(dataset, "MATLAB_class") > 0;
}

// Shape as the program that wrote the dataset has it: MATLAB's extents are stored in reverse order.
std::vector<std::int64_t> shape_of(hid_t dataset) {
  const Hdf5Handle space(::H5Dget_space(dataset), H5Sclose);
  const int dimensions = ::H5Sget_simple_extent_ndims(space);
  if (dimensions < 0) return {};
  std::vector<hsize_t> extents(static_cast<std::size_t>(dimensions));
  if (dimensions > 0) ::H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  std::vector<std::int64_t> shape;
  shape.reserve(extents.size());
  constexpr hsize_t most = std::numeric_limits<std::int64_t>::max();
  for (const hsize_t extent : extents) shape.push_back(static_cast<std::int64_t>(std::min(extent, most)));
  if (is_by_columns(dataset)) std::reverse(shape.begin(), shape.end());
  return shape;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return shape.size() == 1 ? text + " numbers" : text.empty() ? "a scalar" : text;
}

// Text for an object that HDF5 refused for this reason: damaged, or of a newer HDF5.
std::string fault_text(const std::string& reason = hdf5_reason()) {
  if (reason.find("version") == std::string::npos) return "is damaged: " + reason;
  return "is damaged, or has a form that HDF5 " + hdf5_version() +
         " of this program does not know: " + reason +
         "; the version that wrote it reads it (1.12 or later; 2.0 or later for 2.0's own form), and h5py "
         "writes "
         "the older form with libver=('earliest', 'v110')";
}

// An entry of the list of datasets that messages show.
struct Listed {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string in_place_of_shape;  // "": a dataset with a shape; otherwise "a link", or "cannot be read"
};

struct List {
  std::vector<Listed> entries;
  std::string fault;  // text for the first object that cannot be read
};

// Lists every dataset that hard links reach, and every other link, except MATLAB's internal ones (names that begin with #), up to
// 1000.
List list_datasets(hid_t file) {
  List all;
  const auto take = [](hid_t root, const char* name, const H5L_info_t* link, void* list) -> herr_t {
    constexpr std::size_t most = 1000;
    auto& [entries, fault] = *static_cast<List*>(list);
    if (name[0] == '#') return 0;
    const std::string path = std::string("/") + name;
    if (link->type != H5L_TYPE_HARD) {
      entries.push_back({path, {}, "a link"});
    } else if (const Hdf5Handle object(::H5Oopen(root, name, H5P_DEFAULT), H5Oclose); !object.is_open()) {
      if (fault.empty()) fault = fault_text();
      entries.push_back({path, {}, "cannot be read"});
    } else if (::H5Iget_type(object) == H5I_DATASET) {
      entries.push_back({path, shape_of(object), ""});
    }
    return entries.size() < most ? 0 : 1;
  };
  if (::H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take, &all) < 0 && all.fault.empty())
    all.fault = fault_text();
  return all;
}

std::string text_of(const List& list) {
  constexpr std::size_t most = 8;
  const std::vector<Listed>& all = list.entries;
  if (all.empty()) return list.fault.empty() ? "it has none" : "it " + list.fault;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    text += (i > 0 ? ", " : "") + printable(all[i].name) + " (" +
            (all[i].in_place_of_shape.empty() ? text_of(all[i].shape) : all[i].in_place_of_shape) + ")";
  return text + (all.size() > most ? ", ..." : "") + (list.fault.empty() ? "" : "; one " + list.fault);
}

bool fits(const std::vector<std::int64_t>& s, DatasetShape wanted) {
  if (wanted == DatasetShape::array) return !s.empty();
  if (wanted == DatasetShape::square_matrices) return s.size() >= 2 && s[s.size() - 2] == s.back();
  if (wanted == DatasetShape::vector) return s.size() == 1 || (s.size() == 2 && (s[0] == 1 || s[1] == 1));
  return s.size() == 2 && (wanted == DatasetShape::matrix || s[0] == s[1]);
}

std::string only_dataset(const std::filesystem::path& path, hid_t file, DatasetShape wanted) {
  const List all = list_datasets(file);
  std::vector<Listed> candidates;
  for (const Listed& one : all.entries)
    if (one.in_place_of_shape.empty() && fits(one.shape, wanted)) candidates.push_back(one);
  if (wanted == DatasetShape::vector && candidates.size() > 1)  // prefer one dimension to n x 1
    std::erase_if(candidates, [](const Listed& one) { return one.shape.size() != 1; });
  if (candidates.size() == 1) return candidates.front().name;
  const std::string what = wanted == DatasetShape::square_matrix     ? "square matrix"
                           : wanted == DatasetShape::matrix          ? "matrix"
                           : wanted == DatasetShape::square_matrices ? "square matrix or a stack of them"
                           : wanted == DatasetShape::array           ? "array"
                                                                     : "vector";
  throw FileError(path, 0,
                  "holds " + std::string(candidates.empty() ? "no " : "several datasets that may be the ") +
                      what + "; FILE:/NAME names a dataset: " + text_of(all));
}

// The external links on the way to an object: the files that hold a link, and the name of the last link's target.
struct Links {
  std::vector<std::string> files;
  std::string target;
  std::string reason;  // HDF5's, if the object cannot be opened
};

// Opens an object by its name, through links of every kind.
Hdf5Handle open_object(hid_t file, const std::string& name, Links& links) {
  const auto follow = [](const char* holder, const char*, const char* target, const char*, unsigned*, hid_t,
                         void* followed) -> herr_t {
    static_cast<Links*>(followed)->files.emplace_back(holder);
    static_cast<Links*>(followed)->target = target;
    return 0;
  };
  const Hdf5Handle how(::H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  if (::H5Pset_elink_cb(how, follow, &links) < 0) return {H5I_INVALID_HID, H5Oclose};
  Hdf5Handle object(::H5Oopen(file, name.c_str(), how), H5Oclose);
  if (!object.is_open()) links.reason = hdf5_reason();
  return object;
}

// The file in which an object lies. It differs from the file that was opened, if the way to the object has an external link.
std::string file_of(hid_t object) {
  const ssize_t size = ::H5Fget_name(object, nullptr, 0);
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(0, size)), '\0');
  if (size > 0) ::H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

// Text for an object that is not a dataset.
std::string kind_text(hid_t object) {
  for (const char* rows : {"ir", "indices"})  // MATLAB; Python's anndata and others
    if (::H5Iget_type(object) == H5I_GROUP && ::H5Lexists(object, rows, H5P_DEFAULT) > 0 &&
        ::H5Lexists(object, "data", H5P_DEFAULT) > 0)
      return "is a group with the parts of a sparse matrix, which are not read; scipy.sparse.save_npz() "
             "writes a sparse file";
  return "is not a dataset";
}

Hdf5Handle open_dataset(const std::filesystem::path& path, hid_t file, const std::string& name) {
  Links links;
  Hdf5Handle object = open_object(file, name, links);
  if (object.is_open() && ::H5Iget_type(object) == H5I_DATASET) return object;
  if (!object.is_open() && !links.target.empty())
    throw FileError(path, 0,
                    printable(name) + " is a link into " + printable(links.target) +
                        ", which cannot be followed: " + links.reason);
  const List all = list_datasets(file);
  const auto same = [&](const Listed& one) {
    return one.in_place_of_shape != "a link" && (one.name == name || one.name == "/" + name);
  };
  if (!object.is_open() && std::any_of(all.entries.begin(), all.entries.end(), same))
    throw FileError(path, 0, printable(name) + " " + fault_text(links.reason));
  throw FileError(
      path, 0,
      (object.is_open() ? printable(name) + " " + kind_text(object) : "has no dataset " + printable(name)) +
          "; FILE:/NAME names one: " + text_of(all));
}

struct Opened {
  Hdf5Handle file, dataset;
  std::string name;
};

Hdf5Handle open_file(const std::filesystem::path& path) {
  begin_hdf5();
  Hdf5Handle file(::H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw FileError(path, 0, "is an HDF5 file that " + fault_text());
  return file;
}

Opened open_in(const std::filesystem::path& path, std::string name, DatasetShape wanted) {
  Hdf5Handle file = open_file(path);
  if (name.empty()) name = only_dataset(path, file, wanted);
  Hdf5Handle dataset = open_dataset(path, file, name);
  return {std::move(file), std::move(dataset), std::move(name)};
}

// Offset of the elements in the dataset's file, if they are contiguous and of an .npy type; otherwise -1.
std::int64_t place_of(const std::filesystem::path& path, const Opened& opened, bool contiguous,
                      const Found& found) {
  const haddr_t place = contiguous ? ::H5Dget_offset(opened.dataset) : HADDR_UNDEF;
  if (place == HADDR_UNDEF || found.bytes == 0) return -1;
  if (::H5Dget_storage_size(opened.dataset) != static_cast<hsize_t>(found.bytes)) return -1;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(found.file.data()));
  if (place > static_cast<haddr_t>(file_bytes) || found.bytes > file_bytes - static_cast<std::int64_t>(place))
    throw FileError(path, 0,
                    "ends too early: the elements of " + printable(opened.name) + " are " +
                        std::to_string(found.bytes) + " bytes from byte " + std::to_string(place) +
                        "; the file has " + std::to_string(file_bytes));
  return static_cast<std::int64_t>(place);
}

Found look(const std::filesystem::path& path, const std::string& name, DatasetShape wanted) {
  const Opened opened = open_in(path, name, wanted);
  const auto refuse = [&](const std::string& reason) {
    throw FileError(path, 0, printable(opened.name) + " " + reason);
  };
  const Hdf5Handle type(::H5Dget_type(opened.dataset), H5Tclose),
      properties(::H5Dget_create_plist(opened.dataset), H5Pclose);
  if (!type.is_open() || !properties.is_open()) refuse(fault_text());
  const H5D_layout_t layout = ::H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL || ::H5Pget_external_count(properties) > 0)
    refuse("is stored in other files; h5py copies it into one: f['copy'] = f['" + printable(opened.name) +
           "'][()]");
  if (::H5Aexists(opened.dataset, "MATLAB_empty") > 0) refuse("is an empty matrix of MATLAB");
  const Elements elements = elements_of(type);
  if (!elements.fault.empty()) refuse("holds " + elements.fault);

  Found found;
  const std::string file = file_of(opened.dataset);
  if (file.empty() || file.size() >= found.file.size()) refuse("lies in a file whose name is too long");
  file.copy(found.file.data(), found.file.size() - 1);
  const std::vector<std::int64_t> shape = shape_of(opened.dataset);
  const bool stacks = wanted == DatasetShape::square_matrices || wanted == DatasetShape::array;
  if (shape.empty() || shape.size() > (stacks ? max_dimensions : 2))
    refuse("is " + text_of(shape) + "; a matrix is required");
  if (shape.size() > 2 && is_by_columns(opened.dataset))
    refuse("is " + text_of(shape) +
           ", an array of MATLAB; a stack has its matrices along the last two dimensions, row by row");
  found.dimensions = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), found.shape);
  found.by_columns = is_by_columns(opened.dataset);
  found.chunked = layout == H5D_CHUNKED;
  opened.name.copy(found.name.data(), found.name.size() - 1);
  const auto size_up = [&](std::int64_t element_bytes) {
    found.element_bytes = found.bytes = element_bytes;
    for (const std::int64_t extent : shape)
      if (__builtin_mul_overflow(found.bytes, extent, &found.bytes))
        refuse("is " + text_of(shape) + ", too large for any memory");
  };
  if (!elements.descr.empty()) {
    size_up(static_cast<std::int64_t>(::H5Tget_size(type)));
    found.place = place_of(path, opened, layout == H5D_CONTIGUOUS, found);
  }
  if (found.place < 0) size_up(static_cast<std::int64_t>(::H5Tget_size(elements.memory)));
  (found.place < 0 ? elements.read_descr : elements.descr).copy(found.descr.data(), found.descr.size() - 1);
  return found;
}

void read_elements(const std::filesystem::path& path, const std::string& name, DatasetShape wanted,
                   void* out) {
  const Opened opened = open_in(path, name, wanted);
  const Hdf5Handle type(::H5Dget_type(opened.dataset), H5Tclose);
  const Elements elements = elements_of(type);
  if (::H5Dread(opened.dataset, elements.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
    throw FileError(path, 0, printable(opened.name) + " cannot be read: " + hdf5_reason());
}

constexpr const char* library_name = "HDF5";
constexpr std::int64_t seconds_to_look = 5;  // far more time than HDF5 needs

// Memory that a child process writes and this process reads.
std::shared_ptr<std::byte> shared_memory(const std::filesystem::path& path, std::int64_t bytes) {
  require_host_memory(static_cast<std::uint64_t>(bytes));
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, bytes));
  void* const p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw_not_mapped(path, size, errno);
  return {static_cast<std::byte*>(p), [size](std::byte* memory) { ::munmap(memory, size); }};
}

}  // namespace

std::vector<std::filesystem::path> hdf5_files(const MappedFile& file, const std::string& dataset) {
  if (dataset.empty()) return {};
  const std::string answer = isolated(file.path(), library_name, seconds_to_look, [&] {
    const Hdf5Handle opened = open_file(file.path());
    Links links;
    const Hdf5Handle object = open_object(opened, dataset, links);
    if (object.is_open()) links.files.push_back(file_of(object));
    std::string names;
    for (const std::string& name : links.files) names += name + '\0';
    return names;
  });
  std::vector<std::filesystem::path> files;
  for (std::size_t at = 0, end; (end = answer.find('\0', at)) != std::string::npos; at = end + 1)
    files.emplace_back(answer.substr(at, end - at));
  return files;
}

std::shared_ptr<const MappedFile> open_hdf5(std::shared_ptr<const MappedFile> file,
                                            const std::string& dataset, DatasetShape wanted) {
  constexpr std::int64_t bytes_a_second = 1 << 20;  // far less than HDF5 reads
  const std::filesystem::path path = file->path();
  const std::string answer = isolated(path, library_name, seconds_to_look, [&] {
    const Found found = look(path, dataset, wanted);
    return std::string(reinterpret_cast<const char*>(&found), sizeof found);
  });
  Found found;
  std::memcpy(&found, answer.data(), sizeof found);

  HeldArray array;
  array.header.descr = found.descr.data();
  array.header.fortran_order = found.by_columns;
  array.header.shape.assign(found.shape, found.shape + found.dimensions);
  array.bytes = found.bytes;
  array.description = std::string("HDF5 ") + (found.by_columns ? "of MATLAB, '" : "'") + found.descr.data() +
                      (found.chunked ? "' in chunks" : "'");
  const std::filesystem::path name = path.native() + ":" + printable(found.name.data());
  if (found.place >= 0) {
    std::error_code unknown;
    if (!std::filesystem::equivalent(path, found.file.data(), unknown))
      file = std::make_shared<const MappedFile>(found.file.data());
    if (found.bytes > file->size() || found.place > file->size() - found.bytes)
      throw FileError(file->path(), 0, "became shorter while it was read");
    array.elements = file->bytes() + found.place;
    array.in_file = file->is_mapped();
    return std::make_shared<const MappedFile>(name, std::move(file), std::move(array));
  }
  if (wanted == DatasetShape::square_matrix) require_square(name, array.header.shape);
  std::shared_ptr<std::byte> memory = shared_memory(path, found.bytes);
  if (found.bytes > 0)
    isolated(path, library_name, seconds_to_look + found.bytes / bytes_a_second, [&] {
      read_elements(path, dataset, wanted, memory.get());
      return std::string();
    });
  array.elements = memory.get();
  return std::make_shared<const MappedFile>(name, std::move(memory), std::move(array));
}

#endif

}  // namespace eigen_g::io

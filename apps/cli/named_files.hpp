// The files that a command line names, compared before any work: no output takes the place of an input or of another
// output, whatever their names, and a file that exists is replaced only with --force.
#pragma once

#include <string>
#include <vector>

namespace eigen_g::apps {

struct NamedFile {
  std::string option;  // as the line has it, "-o"
  std::string path;    // "" or "-": none
};

// Throws UsageError. Files that exist are compared by device and inode, so a link is what it points to; those that do not by
// their folder and name; of FILE:/NAME, a dataset of an HDF5 file, the file counts. Datasets of one file that one option writes are one
// output.
void require_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs, bool force);

}  // namespace eigen_g::apps

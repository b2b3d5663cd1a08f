// Checks the files that a command line names before any work. No output may be the same file as an input or another output, and an
// existing file is replaced only with --force.
#pragma once

#include <string>
#include <vector>

namespace eigen_g::apps {

struct NamedFile {
  std::string option;  // as on the command line, "-o"
  std::string path;    // "" or "-": no file
};

// Throws UsageError. Existing files are compared by device and inode, so a link counts as its target. Files that do not exist are
// compared by folder and name. A dataset FILE:/NAME counts as its file, and as every file that its links lead to, but datasets that one option writes into one file are one
// output.
void require_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs, bool force);

}  // namespace eigen_g::apps

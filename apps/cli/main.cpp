#include "apps/cli/command.hpp"

int main(int argc, char** argv) {
  return eigen_g::apps::run_command(argc, argv);
}

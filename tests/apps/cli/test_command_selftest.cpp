// Tests of eigen_g selftest as a process, and of the command's completion for shells and its help.
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/command.hpp"

using namespace support;

TEST_CASE(
    "selftest passes here, prints few lines, and its report has every case with its ratios, in each type") {
  const TemporaryFolder folder;
  const ProcessResult outcome = succeed({"selftest", "--json", folder / "st.json"});
  CHECK_THAT(outcome.out, ContainsSubstring("pass\n") && ContainsSubstring("glued-wilkinson") &&
                              ContainsSubstring("worst: residual"));
  CHECK(outcome.out.find("FAILED") == std::string::npos);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') < 60);
  const auto report = nlohmann::json::parse(text_of_file(folder / "st.json"));
  std::map<std::string, int> cases, batches;
  std::map<std::pair<std::string, std::string>, double> worst;
  for (const auto& c : report["cases"]) {
    CHECK(c["passed"].get<bool>());
    ++cases[c["type"].get<std::string>()];
    if (c["variant"] == "batch") ++batches[c["type"].get<std::string>()];
    double& most = worst[{c["family"].get<std::string>(), c["type"].get<std::string>()}];
    most = std::max(most, c["lapack_orthogonality"].get<double>());
  }
  for (const char* type : {"s", "d", "c", "z"}) {
    CHECK(cases[type] > 400);
    CHECK(batches[type] == 5);
    CHECK(worst[{"random", type}] > 0);  // something was measured
  }
  CHECK(worst.count({"hofstadter", "z"}) == 1);
  CHECK(worst.count({"hofstadter", "d"}) == 0);
  CHECK(report["worst"].size() == worst.size());
  for (const auto& w : report["worst"])
    CHECK(w["lapack_orthogonality"].get<double>() ==
          worst.at({w["family"].get<std::string>(), w["type"].get<std::string>()}));
}

TEST_CASE("selftest --cases prints a line for each case") {
  const TemporaryFolder folder;
  const ProcessResult outcome =
      succeed({"selftest", "--cases", "--types", "s", "--json", folder / "st.json"});
  const auto report = nlohmann::json::parse(text_of_file(folder / "st.json"));
  CHECK_THAT(outcome.out, ContainsSubstring("lapack 18 band"));
  CHECK(static_cast<std::size_t>(std::count(outcome.out.begin(), outcome.out.end(), '\n')) >
        report["cases"].size());
}

TEST_CASE("selftest: wrong usage ends in 2") {
  fail_with(2, {"selftest", "--long", "--full"});
  for (const char* types : {"x", "dd", ""}) fail_with(2, {"selftest", "--types", types});
}

TEST_CASE("the error suggests the intended word") {
  CHECK_THAT(fail_with(2, {"slove"}).err, ContainsSubstring("did you mean 'solve'?"));
  CHECK_THAT(fail_with(2, {"solve", "a.mtx", "--verfy"}).err, ContainsSubstring("did you mean '--verify'?"));
  CHECK_THAT(fail_with(2, {"solve", "a.mtx", "--jsno=x"}).err, ContainsSubstring("did you mean '--json'?"));
  const std::string strange = fail_with(2, {"xyzzy"}).err;
  CHECK(strange.find("did you mean") == std::string::npos);
}

TEST_CASE("completion: bash offers subcommands and the options of the typed one") {
  const TemporaryFolder folder;
  write_file(folder / "completion.bash", succeed({"completion", "bash"}).out);
  const auto offered = [&](const std::string& line) {
    const std::string script = "source " + (folder / "completion.bash") + "; COMP_WORDS=(" + line +
                               "); [[ '" + line + "' == *' ' ]] && COMP_WORDS+=(''); " +
                               "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _eigen_g; echo \"${COMPREPLY[*]}\"";
    const ProcessResult outcome = Process({"/bin/bash", "-c", script}).wait();
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    return outcome.out;
  };
  CHECK(offered("eigen_g sol") == "solve\n");
  CHECK_THAT(offered("eigen_g "), ContainsSubstring("solve verify generate"));
  CHECK(offered("eigen_g solve --symm") == "--symmetrize\n");
  CHECK(offered("eigen_g solve a.mtx --values") == "--values-only\n");
  CHECK(offered("eigen_g bench so") == "solve\n");
  CHECK(offered("eigen_g bench solve --js") == "--json\n");
  CHECK(offered("eigen_g solve --device ") == "auto cpu gpu\n");
  CHECK(offered("eigen_g solve --device = c") == "cpu\n");  // the shell takes = as a word
  CHECK(offered("eigen_g predict --machine nvidia_h") == "nvidia_h200\n");
  CHECK(offered("eigen_g generate glued") == "glued-wilkinson\n");
  CHECK(offered("eigen_g generate hof") == "hofstadter\n");
  CHECK(offered("eigen_g completion ") == "bash zsh fish\n");
  CHECK_THAT(offered("eigen_g help "), ContainsSubstring("solve verify"));
  CHECK(offered("eigen_g solve --n ") == "\n");
  write_file(folder / "a matrix.mtx", "");
  const std::string file = folder / "a\\ m";
  CHECK(offered("eigen_g solve " + file) == folder / "a matrix.mtx\n");
  CHECK(offered("eigen_g solve --json " + file) == folder / "a matrix.mtx\n");
  CHECK(offered("eigen_g solve --lowest 3 " + file) == folder / "a matrix.mtx\n");
  CHECK(offered("eigen_g run bas").find("bash") != std::string::npos);
  fail_with(2, {"completion", "tcsh"});
}

TEST_CASE("completion: zsh and fish have the values of options, files and a command's own options") {
  const std::string zsh = succeed({"completion", "zsh"}).out;
  CHECK(zsh.starts_with("#compdef eigen_g\n"));
  CHECK_THAT(zsh, ContainsSubstring(":DEVICE:(auto cpu gpu)'") && ContainsSubstring(":FILE:_files'") &&
                      ContainsSubstring("rest:symv) _eigen_g_bench_symv ;;"));
  const TemporaryFolder folder;
  const std::string fish = succeed({"completion", "fish"}).out;
  CHECK_THAT(fish, ContainsSubstring("__fish_seen_subcommand_from solve' -l output -s o -r -F") &&
                       ContainsSubstring("-l device -x -a 'auto cpu gpu'") &&
                       ContainsSubstring("from bench; and __fish_seen_subcommand_from symv' -l uplo -x"));
  if (std::filesystem::exists("/usr/bin/fish")) {
    write_file(folder / "completion.fish", fish);
    const auto offered = [&](const std::string& line) {
      return Process({"/usr/bin/fish", "-c",
                      "source " + (folder / "completion.fish") + "; complete -C'" + line + "'"})
          .wait()
          .out;
    };
    CHECK_THAT(offered("eigen_g solve --device "), ContainsSubstring("auto\t") && ContainsSubstring("gpu\t"));
    CHECK_THAT(offered("eigen_g generate glued"), ContainsSubstring("glued-wilkinson"));
  }
}

TEST_CASE("help COMMAND prints what COMMAND --help prints, with the options in groups") {
  CHECK(succeed({"help"}).out == succeed({"--help"}).out);
  CHECK(succeed({"help", "bench", "symv"}).out == succeed({"bench", "symv", "--help"}).out);
  const std::string solve = succeed({"help", "solve"}).out;
  CHECK(solve == succeed({"solve", "--help"}).out);
  std::size_t at = 0;
  for (const char* group :
       {"\nMatrix:\n  --input-format", "\nResults:\n  -o,--output", "\nWhich pairs:\n  --subset-by-index",
        "\nGeneralised problem:\n  --b", "\nDevices:\n  --device", "\nReport:\n  --json"}) {
    CHECK(solve.find(group, at) != std::string::npos);
    at = solve.find(group, at);
  }
  CHECK(solve.find("\n\n\n") == std::string::npos);
  CHECK_THAT(fail_with(2, {"help", "slove"}).err, ContainsSubstring("unknown command 'slove'"));
}

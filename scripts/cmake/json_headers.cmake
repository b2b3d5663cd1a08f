# nlohmann-json, headers only, as nlohmann_json::nlohmann_json: the system's, or for the Python package's build that of the
# Python package nlohmann-json, which pyproject.toml requires.
find_package(nlohmann_json 3 QUIET)
if(NOT nlohmann_json_FOUND AND EIGEN_G_PYTHON STREQUAL "ON")
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('nlohmann_json').submodule_search_locations[0])"
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE package ERROR_QUIET)
  find_path(EIGEN_G_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS ${package}/include NO_DEFAULT_PATH)
  if(EIGEN_G_JSON_INCLUDE_DIR)
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
    target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${EIGEN_G_JSON_INCLUDE_DIR})
  endif()
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  message(FATAL_ERROR "nlohmann-json 3 is missing; on Debian or Ubuntu: apt-get install nlohmann-json3-dev")
endif()

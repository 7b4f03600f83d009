# The addon: every .cc file of the seven folders, recursively. Exceptions are on; no -march, because
# the code selects instructions at run time. build.mjs runs node-gyp and adds the sanitizer flags.
{
  "targets": [
    {
      "target_name": "peneira",
      "sources": [
        "<!@(node -p \"['format', 'query', 'render', 'builder', 'scan', 'join', 'napi'].flatMap((folder) => require('node:fs').readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.cc')).map((name) => require('node:path').posix.join(folder, ...name.split(require('node:path').sep)))).sort().join(' ')\")"
      ],
      "include_dirs": ["."],
      "defines": ["NAPI_VERSION=8"],
      "cflags": ["-O2", "-Wall", "-Wextra", "-fvisibility=hidden"],
      "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17"],
      "cflags_cc": ["-std=c++20"],
      "ldflags": ["-Wl,--exclude-libs,ALL"],
      "conditions": [
        # The standard headers are parsed once: they are two thirds of the compile time.
        ["OS=='linux'", {
          "variables": { "pre": "<(INTERMEDIATE_DIR)/standard.h" },
          "actions": [{
            "action_name": "precompile",
            "message": "Precompiling the standard library",
            "inputs": ["format/standard.h"],
            "outputs": ["<(pre).gch"],
            "action": ["sh", "-c", "cp format/standard.h <(pre) && $(CXX.target) $(DEFS_$(BUILDTYPE)) $(INCS_$(BUILDTYPE)) $(CFLAGS_$(BUILDTYPE)) -std=c++20 $(CXXFLAGS.target) -x c++-header -o <(pre).gch <(pre)"]
          }],
          "cflags_cc": ["-include", "<(pre)"]
        }],
        ["OS=='mac'", {
          "xcode_settings": {
            "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
            "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
            "MACOSX_DEPLOYMENT_TARGET": "13.3"
          }
        }]
      ]
    }
  ]
}

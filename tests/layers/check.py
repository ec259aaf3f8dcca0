#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py - the layout rules of ARCHITECTURE.md, on every source file.  Run at the root.

  - a file includes only lower layers and its own module; siblings never include each other; no
    include climbs with ../; tests may include any module
  - the same of the folders of cli; of another folder a file includes the header of its name alone;
    no file of cli is named like one of src
  - no folder directly below src or cli has more than 40 files .c and .h, tests aside, and none of
    python/featcross more than 40 modules
  - model, train, explain, file and recommend never test for a kind of model: no comparison of a
    kind, no fxi_kind_ symbol, nothing included of kind/, no strcmp of its name or spec with a literal
  - cli, examples and fuzz see featcross.h alone; so does python, of which scikit-learn is named in
    _sklearn.py alone, and no file but tests has more than 300 lines; it names models where a class
    of an estimator says which it is (_models) and nowhere else
  - fx_A_B and fxi_A_B are defined in src/A/B.c (B may be of several words: the longest that is a
    file counts), else src/A/A.c, else src/base/A.c; ELSEWHERE lists the exceptions
  - a public fx_A_B may also be defined in src/R/B.c, where R is one of A's rooms (ROOMS): the
    interface has one prefix where the source has several folders; internal names say their room
  - every public function is named by a test
  - cli prints names from files by safe_print alone (cli/terminal/terminal.h)
  - cli names no model, kernel, map or format but in cli/defaults.h, help and examples (NAMING has the
    exceptions), and compares no spec with a literal: it asks the library's tables
    (cli/options/spec_keys.c, cli/models/model_table.c)
  - the library never prints, exits, aborts, asserts, opens files or calls malloc past base/memory.c
  - every source file begins with its licence
  - no line of C, of python/featcross or of examples has more than 100 columns
"""
import ast
import glob
import os
import re
import sys

sys.path.insert(0, "tests")
import header  # noqa: E402

# Modules of one line are siblings.  One line a layer, lowest first.
LAYERS = [["base"], ["simd"], ["linalg"], ["data"], ["kernel", "loss", "metric", "pass", "project", "read", "write"],
          ["map"],
          ["fit", "fm"],
          ["combos"],
          ["model"], ["explain", "file", "train"], ["discover", "kind", "recommend"]]
# Modules that hold public functions of another's prefix: fx_data_write is in src/write/write.c.
ROOMS = {"data": ["read", "write"], "model": ["recommend", "kind", "train", "explain", "file"]}
RANK = {module: i for i, layer in enumerate(LAYERS) for module in layer}
CLI_LAYERS = [["terminal"], ["team"], ["options"], ["files"], ["tables"], ["figures"], ["kernels"],
              ["models"], ["compare", "datasets"], ["reproduce"], ["commands"]]
CLI_RANK = {folder: i for i, layer in enumerate(CLI_LAYERS) for folder in layer}
MAX_FILES = 40                          # of a folder
MAX_COLUMNS = 100
# Modules that serve every kind of model alike, and what they must not contain, strings aside.
KINDLESS = ["model", "train", "explain", "file", "recommend"]
KIND_TESTS = {
    "compares a kind": r"\bkind\s*[!=]=|[!=]=\s*&?[\w.>-]*\bkind\b",
    "names a kind": r"\bfxi_kind_\w+",
    "compares a model's name or spec": r"\b(?:str(?:n?cmp|str)|fxi_spec_named)\s*\((?=[^();]*\"\")"
                                       r"[^();]*\b(?:spec|kind->name|learner->name)\b",
    "asks for one kind": r"\bif\s*\(!?[\w.>-]*\b(?:fm|exact|perceptron|factors)\b",
}
OUTSIDE = ["examples", "fuzz"]
PUBLIC = ("featcross.h", "featcross_extra.h")
# Names so common that a longer one would only be noise: beginning, and the file that defines them.
ELSEWHERE = {"fxi_alloc": "src/base/memory.c", "fxi_zalloc": "src/base/memory.c",
             "fxi_realloc": "src/base/memory.c", "fxi_strndup": "src/base/memory.c",
             "fxi_family": "src/kernel/family.c", "fx_explanation": "src/explain/explain.c",
             "fx_discovery": "src/discover/report.c",
             "fx_scorer": "src/model/scorer.c"}
FORBIDDEN = {  # in src/, tests and benchmarks aside
    "prints": r"(?<![\w.>])(?:printf|fprintf|puts|putchar|fputs|perror|fwrite)\s*\(",
    "ends the process": r"(?<![\w.>])(?:exit|_exit|abort|assert|raise|kill)\s*\(",
    "opens a file": r"(?<![\w.>])(?:fopen|open|openat|creat|freopen|popen|system)\s*\(",
    "allocates past base/memory.c": r"(?<![\w.>])(?:malloc|calloc|realloc|aligned_alloc|strdup|strndup)\s*\(",
}
# What may print as it is: names of commands and help, text that is not shown, safe_text.c itself.
PRINTS = ["cli/commands/help.c", "cli/kernels/family_names.c", "cli/terminal/safe_text.c",
          "cli/terminal/say.c", "cli/compare/advice_command.c"]
# What names models, kernels, maps and formats: defaults, formats by extension and by first bytes,
# benchmarks, files of known data sets.
NAMING = ["cli/defaults.h", "cli/files/extension.c", "cli/tables/format_detect.c",
          "cli/commands/cmd_bench.c", "cli/datasets/*.c"]
# What is named like one of them and is none: forms of models and of predictions, keys and options,
# a method of compare, a part of a recipe, a word of a message.
NO_NAMES = {"cli/commands/cmd_convert.c": ["fm"], "cli/models/convert_model.c": ["fm"],
            "cli/commands/cmd_predict.c": ["text"], "cli/models/fitting.c": ["linear"],
            "cli/models/factor.c": ["groups", "cross"], "cli/compare/methods.c": ["linear"],
            "cli/models/model_table.c": ["groups", "cross"], "cli/reproduce/reproduce.c": ["text"],
            "cli/reproduce/recipe_parse.c": ["text"], "cli/kernels/family_names.c": ["groups"]}
LITERAL = r'"((?:\\.|[^"\\])*)"'
problems = []


def complain(path, what):
    problems.append(f"{path}: {what}")


def includes(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', header.text(path), re.M)


def same_folder(path, name):
    return "/" not in name and os.path.exists(os.path.join(os.path.dirname(path), name))


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def check_runs():
    """A caller's fx_run may be shorter than ours: its members are read through base/sized.c."""
    for path in glob.glob("src/*/*.[ch]"):
        if path != "src/base/sized.c":
            with open(path, encoding="utf-8") as f:
                for found in re.findall(r"\brun->\w+|= \*run\b|\? \*run\b", f.read()):
                    complain(path, f"reads {found}; fxi_sized_run(run) does")


def check_layers():
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        module = path.split("/")[1]
        if module not in RANK:
            complain(path, f"module '{module}' has no layer; see tests/layers/check.py")
            continue
        tested = "/test/" in path or "/bench/" in path
        for name in includes(path):
            other = name.split("/")[0]
            if name in PUBLIC or same_folder(path, name):
                continue
            if other not in RANK or ".." in name.split("/"):
                complain(path, f"includes {name}, which is neither beside it nor module/file.h")
            elif other != module and RANK[other] >= RANK[module] and not tested:
                complain(path, f"includes {name}, which is not a lower layer")
    for directory in OUTSIDE:
        for path in glob.glob(f"{directory}/**/*.[ch]", recursive=True):
            for name in includes(path):
                inside = os.path.exists(os.path.join(directory, name)) and ".." not in name
                if name not in PUBLIC and not same_folder(path, name) and not inside:
                    complain(path, f"includes {name}; {directory} sees public headers only")


def check_cli():
    """Folders of the program; main.c is above all of them."""
    library = {stem(p): p for p in glob.glob("src/*/*.[ch]")}
    for path in glob.glob("cli/**/*.[ch]", recursive=True):
        folder = path.split("/")[1] if path.count("/") > 1 else None
        if folder and folder not in CLI_RANK:
            complain(path, f"folder '{folder}' has no layer; see tests/layers/check.py")
            continue
        if stem(path) in library:
            complain(path, f"is named like {library[stem(path)]}")
        for name in includes(path):
            other = name.split("/")[0]
            if name in (*PUBLIC, "cli.h", "defaults.h") or same_folder(path, name):
                continue
            if name not in (f"{other}/{other}.h", f"{other}/{other}.def") or other not in CLI_RANK:
                complain(path, f"includes {name}, which is neither beside it nor folder/folder.h")
            elif folder and CLI_RANK[other] >= CLI_RANK[folder]:
                complain(path, f"includes {name}, which is not a lower layer")


def check_folders():
    for folder in glob.glob("src/*/") + glob.glob("cli/*/"):
        files = len(glob.glob(f"{folder}*.[ch]"))
        if files > MAX_FILES:
            complain(folder, f"has {files} files; {MAX_FILES} are the most")
    for folder in glob.glob("python/featcross/") + glob.glob("python/featcross/*/"):
        files = len(glob.glob(f"{folder}*.py"))
        if files > MAX_FILES:
            complain(folder, f"has {files} modules; {MAX_FILES} are the most")


def check_kinds():
    for path in [p for room in KINDLESS for p in glob.glob(f"src/{room}/*.[ch]")]:
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', header.text(path))
        for what, pattern in KIND_TESTS.items():
            for found in re.findall(pattern, text):
                complain(path, f"{what}: {found}")


def homes(name):
    """Files that may define fx_A_B_C, by the naming rule."""
    prefix, module, *rest = name.split("_")
    rooms = ROOMS.get(module, []) if prefix == "fx" else []
    for words in range(len(rest), 0, -1):
        for room in [module] + rooms:
            yield f"src/{room}/{'_'.join(rest[:words])}.c"
    yield f"src/{module}/{module}.c"
    yield f"src/base/{module}.c"


def check_names(public):
    defined = {}                        # of every function that is not static: its files
    for path in glob.glob("src/*/*.c"):
        for name in re.findall(r"^(?!static\b)\w[\w\s*]*?\b(fxi?_\w+)\s*\([^;{}]*\)\s*\{",
                               header.text(path), re.M):
            defined.setdefault(name, []).append(path)
    for name in set(public) - set(defined):
        complain("include/featcross.h", f"{name} is defined nowhere")
    assert sum(name.startswith("fxi_") for name in defined) > 50, "src/ was not understood"
    for name, paths in defined.items():
        special = [p for start, p in ELSEWHERE.items() if re.match(rf"{start}(_|$)", name)]
        expected = special or [p for p in homes(name) if os.path.exists(p)]
        if set(paths) != set(expected[:1]):     # perhaps twice in it, one for each #if
            complain(paths[0], f"defines {name}; expected in {' or '.join(expected or homes(name))}")


def check_tested(public):
    tests = glob.glob("src/*/test/*.c") + glob.glob("tests/**/*.c", recursive=True)
    text = " ".join(header.text(p) for p in tests)
    for name in public:
        if not re.search(rf"\b{name}\b", text):
            complain("include/featcross.h", f"no test names {name}")


def check_library():
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        if "/test/" in path or "/bench/" in path or path == "src/base/test.h":
            continue
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', header.text(path))
        for what, pattern in FORBIDDEN.items():
            if what.startswith("allocates") and path == "src/base/memory.c":
                continue
            for found in re.findall(pattern, text):
                complain(path, f"{what}: {found}")


def check_prints():
    """printf of any kind, or puts of what is no literal."""
    for path in glob.glob("cli/**/*.c", recursive=True):
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', header.text(path))
        raw = r"(?<![\w.>])(?:v?f?printf\s*\(|puts\s*\((?!\"))|fputs\s*\([^;\"]*,\s*(?:stdout|stderr)\)"
        for found in [] if path in PRINTS else re.findall(raw, text):
            complain(path, f"prints without safe_print: {found}")


def check_specs():
    """Names of the library's tables and texts of specs in the program."""
    models = model_names()
    names = models | table_names()
    a_model = rf"(?:{'|'.join(sorted(models, key=len, reverse=True))})(?![\w-])"
    naming = {path for pattern in NAMING for path in glob.glob(pattern)}
    for path in set(glob.glob("cli/**/*.[ch]", recursive=True)) - naming:
        text = re.sub(r"""\{"[\w-]+",\s*(?:0|'.'),""", "{", header.text(path))     # an option
        for found in re.findall(LITERAL, text):
            if found.split(":")[0] in names and " " not in found \
                    and found not in NO_NAMES.get(path, []):
                complain(path, f"names {found}; cli/defaults.h is the place")
        for message in re.findall(r"\bsay_\w+\s*\(((?:[^;\"]|" + LITERAL + r")*);", text):
            if re.search("--model " + a_model, message[0]):
                complain(path, f"has a message with the name of a model: {message[0][:60]}")
        for found in re.findall(r'\bspec_says\s*\([^;"]*,\s*"",\s*' + LITERAL, text):
            complain(path, f"asks for the name {found}; the table tells what it does")
        compared = r'\bstr(?:n?cmp|str)\s*\(([^;"]*\b(?:\w+_)?(?:spec|model|map|reader)\b[^;"]*),\s*' + LITERAL
        for what, found in re.findall(compared, text):
            if found not in ("auto", "none"):
                complain(path, f'compares {what} with "{found}"; spec_says does')


def check_python():
    with open("include/featcross.h", encoding="utf-8") as f:
        declared = set(re.findall(r"\bfx_\w+", f.read()))
    files = glob.glob("python/featcross/**/*.py", recursive=True)
    assert len(files) > 10, "python/featcross was not found"
    for path in files + glob.glob("python/tests/*.py"):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if path in files and text.count("\n") > 300:
            complain(path, f"has {text.count(chr(10))} lines; 300 are the most")
        for name in set(re.findall(r"\bfxi?_\w+", text)) - declared:
            complain(path, f"names {name}, which is not in featcross.h")
        if path in files and not path.endswith("/_sklearn.py") \
                and re.search(r"^\s*(?:import|from) sklearn\b", text, re.M):
            complain(path, "imports scikit-learn; _sklearn.py does, and stands in for it")


def model_names():
    """By the tables of the kinds; those of linear.c come from loss.def."""
    table = r"fxi_learner \w+\[\] = \{(.*?)\{0\}\}"
    lines = [line for path in glob.glob("src/kind/*.c")
             for line in re.findall(table, header.text(path), re.S)]
    linear = re.findall(r'^LINEAR\(\w+, "([\w-]+)"', header.text("src/loss/loss.def"), re.M)
    found = {name for line in lines for name in re.findall(r'\{"([\w-]+)",', line)}
    assert len(found) > 10 and "svm" in linear, "the tables of models were not found"
    return found | set(linear)


def table_names():
    """Of kernels, maps and formats, by the line of each."""
    found = set()
    for folder in ["kernel", "map", "read", "write"]:
        text = " ".join(header.text(path) for path in glob.glob(f"src/{folder}/*.c"))
        lines = re.findall(rf'^const fxi_{folder}_(?:type|format) fxi_{folder}_\w+ = \{{\s*'
                           r'(.[^"]*"[\w-]+")?', text, re.M)
        assert len(lines) >= 5 and all(lines), f"the table of src/{folder} was not understood"
        found |= {line.split('"')[1] for line in lines}
    return found


def check_python_names():
    """Model names, alone or with keys, as texts of python/featcross."""
    models = model_names()
    models -= {name.replace("_", "-")   # those that are kernels', too
               for name in re.findall(r"^KERNEL\((\w+)\)", header.text("src/kernel/kernel.def"), re.M)}
    for path in glob.glob("python/featcross/**/*.py", recursive=True):
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        own = {id(part) for kind in ast.walk(tree) if isinstance(kind, ast.ClassDef)
               for line in kind.body if isinstance(line, (ast.Assign, ast.AnnAssign))
               and "_models" in ast.unparse(line).split("=")[0] for part in ast.walk(line)}
        for part in ast.walk(tree):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and id(part) not in own \
                    and part.value.split(":")[0] in models:
                complain(path, f"line {part.lineno} names the model {part.value}")


def sources_of_c(ends):
    folders = ["src", "include", "cli", "plugins", "tests", "fuzz", "examples", "bench"]
    return [p for d in folders for p in glob.glob(f"{d}/**/*.{ends}", recursive=True)]


def check_licence():
    for path in sources_of_c("[ch]") + glob.glob("python/**/*.py", recursive=True):
        with open(path, encoding="utf-8") as f:
            if "SPDX-License-Identifier: BSD-3-Clause" not in f.readline():
                complain(path, "does not begin with its SPDX line")


def check_width():
    python = glob.glob("python/featcross/**/*.py", recursive=True) + glob.glob("examples/*.py")
    for path in sources_of_c("[ch]") + sources_of_c("def") + python:
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f.read().split("\n"), 1):
                if len(line) > MAX_COLUMNS:
                    complain(f"{path}:{number}", f"has {len(line)} columns of {MAX_COLUMNS}")


def main():
    public = header.functions()
    assert len(public) > 20, "featcross.h was not understood"
    check_layers()
    check_runs()
    check_cli()
    check_folders()
    check_kinds()
    check_names(public)
    check_tested(public)
    check_library()
    check_prints()
    check_specs()
    check_python()
    check_python_names()
    check_licence()
    check_width()
    print("\n".join(sorted(problems)))
    print(f"{len(public)} public functions, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

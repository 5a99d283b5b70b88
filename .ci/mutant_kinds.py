"""The kinds of mutants that `cargo mutants` does not make, found in the syntax trees of the sources:

Statement   a statement left out: `self.depth += 1;`, `if self.is_empty() { return Ok(()); }`, `let _lock = self.lock();`
CallSite    one call left out: `self.check(&copy)?;`, a call whose result the function returns, or one side of `&&` or `||`
            that is a call
Constant    a constant of CUDA in place of another one of its type, that the same file has if there is one; the name of
            another driver function in an error

What a macro expands to is not looked at. Nor are constants of constants: those have no switch.
"""

import re
from collections import defaultdict
from pathlib import Path

# Macros that take expressions as their arguments. Of others, the arguments are left as they are.
OF_EXPRESSIONS = {"answer", "later", "name", "assert", "assert_eq", "vec", "format", "write"}
# Statements that are not left out: the first say what holds anyway, the others never end.
NO_STATEMENTS = {"debug_assert", "debug_assert_eq", "debug_assert_ne", "unreachable", "panic", "todo", "compile_error"}
BLOCKS = ("if_expression", "match_expression", "unsafe_block", "block", "for_expression", "while_expression", "loop_expression")
CONSTANT = re.compile(r"CU(?:DA)?_[A-Z0-9_]+")
# What `cfg` is told, in the build of the tests. All else is true.
FALSE = ("test", "loom", "windows", 'feature = "nvrtc"', 'feature = "nvrtc-load"', 'feature = "load"')


class Found:
    """A place in a source, and what it becomes. The site is what has the switch: its node, or `statement` or `binding`."""

    def __init__(self, genre, node, site, function, what, text=""):
        self.genre, self.node, self.site, self.function, self.what, self.text = genre, node, site, function, what, text


# ── What is compiled ────────────────────────────────────────────────────────────────────────────────────────────────


def holds(condition):
    """Whether this condition of a `cfg` holds in the build of the tests."""
    condition = condition.strip()
    parts = re.fullmatch(r"(all|any|not)\((.*)\)", condition, re.S)
    if not parts:
        return condition not in FALSE
    depth, terms, term = 0, [], ""
    for letter in parts[2]:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            terms, term = [*terms, term], ""
        else:
            term += letter
    values = [holds(one) for one in [*terms, term] if one.strip()]
    return {"all": all(values), "any": any(values), "not": not values[0]}[parts[1]]


def attributes(source, node):
    """The texts of the attributes of an item or a statement."""
    before = node.prev_sibling
    while before and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item":
            yield source.of(before)
        before = before.prev_sibling


def is_compiled(source, node):
    """Whether the build has this node, and not as a test."""
    while node:
        for attribute in attributes(source, node):
            condition = re.fullmatch(r"#\[cfg\((.*)\)\]", attribute, re.S)
            if attribute == "#[test]" or condition and not holds(condition[1]):
                return False
        node = node.parent
    return True


def compiled_files(root, source):
    """The files of the crate, by its declarations of modules. `source(file)` gives one."""
    files, rest = [], ["src/lib.rs"]
    while rest:
        file = rest.pop()
        files.append(file)
        folder = Path(file).parent if Path(file).name in ("lib.rs", "mod.rs") else Path(file).with_suffix("")
        text = source(file)
        for node in text.root.children:
            if node.type != "mod_item" or node.child_by_field_name("body") or not is_compiled(text, node):
                continue
            name = text.of(node.child_by_field_name("name"))
            places = [folder / f"{name}.rs", folder / name / "mod.rs"]
            rest += [str(place) for place in places if (root / place).is_file()]
    return sorted(files)


# ── Constants and their types ───────────────────────────────────────────────────────────────────────────────────────


class Constants:
    """The constants of `ffi`: which have one type."""

    def __init__(self, root):
        self.groups, self.of, self.value, self.flags = defaultdict(list), {}, {}, set()
        for path in sorted((root / "ffi/src").rglob("*.rs")):
            text = path.read_text()
            blocks = re.findall(r"pub (enum|struct) (\w+): \w+ \{(.*?)\n    \}", text, re.S)
            for kind, name, body in blocks:
                for constant, value in re.findall(r"^ +(?:const )?(CU\w+) = ([^,;]+)[,;]", body, re.M):
                    self.add(name, constant, value)
                    if kind == "struct":
                        self.flags.add(constant)
            for constant, name, value in re.findall(r"^pub const (CU\w+): (\w+) = ([^;]+);", text, re.M):
                # Of numbers, those of one file that begin alike.
                begin = "" if name.startswith("CU") else f"{path.name}:{'_'.join(constant.split('_')[:2])}"
                self.add(f"{begin}:{name}" if begin else name, constant, value)

    def add(self, group, constant, value):
        self.groups[group].append(constant)
        self.of[constant], self.value[constant] = group, value.strip()

    def others(self, constant, here):
        """Two other ones of the type: the next that the file has, and the one with the most words of this one."""
        group = self.groups.get(self.of.get(constant), [])
        at = group.index(constant) if group else 0
        others = [one for one in group[at + 1 :] + group[:at] if self.value[one] != self.value[constant]]
        words = set(constant.split("_"))
        alike = sorted(others, key=lambda one: -len(words & set(one.split("_"))))
        return list(dict.fromkeys([*[one for one in others if one in here][:1], *alike]))[:2]


# ── The mutants of a file ───────────────────────────────────────────────────────────────────────────────────────────


def named(node):
    return [child for child in node.children if child.is_named and "comment" not in child.type and child.type != "attribute_item"]


def function_of(source, node):
    """The name of the function that a node is in, as `cargo mutants` writes it."""
    function = node
    while function and function.type != "function_item":
        function = function.parent
    if not function:
        return "", None
    name, around = source.of(function.child_by_field_name("name")), function.parent
    while around and around.type not in ("impl_item", "trait_item", "function_item"):
        around = around.parent
    if around and around.type == "impl_item":
        of = " ".join(source.of(around.child_by_field_name("type")).split())
        of_trait = around.child_by_field_name("trait")
        of = f"<impl {source.of(of_trait)} for {of}>" if of_trait else of
        return f"{of}::{name}", function
    if around and around.type == "trait_item":
        return f"{source.of(around.child_by_field_name('name'))}::{name}", function
    return name, function


def tail(block):
    """The expression that a block ends with."""
    children = named(block)
    last = children[-1] if children else None
    if not last or last.type.endswith(("_item", "_declaration")) or last.type == "label":
        return None
    if last.type == "expression_statement":
        return None if last.children[-1].type == ";" else named(last)[0]
    return last


def ends_as(source, node):
    """What the value of an expression becomes: `unit` if it is a statement, the type of the function if it returns it."""
    parent = node.parent
    if parent.type == "expression_statement":
        if parent.children[-1].type == ";":
            return None
        block = parent.parent
        return ends_as_block(source, block) if tail(block) == node else "unit"
    if parent.type == "block":
        return ends_as_block(source, parent) if tail(parent) == node else None
    if parent.type == "match_arm" and parent.child_by_field_name("value") == node:
        return ends_as(source, parent.parent.parent)
    if parent.type == "return_expression":
        return returns(source, function_of(source, node)[1])
    return None


def ends_as_block(source, block):
    parent = block.parent
    if parent.type == "function_item":
        return returns(source, parent)
    if parent.type in ("for_expression", "while_expression", "loop_expression"):
        return "unit"
    if parent.type == "else_clause":
        parent = parent.parent
        while parent.parent.type == "else_clause":
            parent = parent.parent.parent
        return ends_as(source, parent)
    if parent.type == "if_expression":
        while parent.parent.type == "else_clause":
            parent = parent.parent.parent
        return ends_as(source, parent)
    if parent.type == "unsafe_block" or parent.type in ("expression_statement", "block", "match_arm"):
        return ends_as(source, parent if parent.type == "unsafe_block" else block)
    return None


def returns(source, function):
    kind = function and function.child_by_field_name("return_type")
    if not function or not kind:
        return "unit" if function else None
    text = " ".join(source.of(kind).split())
    if text in ("Result", "Result<()>") or text.startswith("Result<(),"):
        return "Result"
    return "bool" if text == "bool" else None


def single(block):
    """The only statement of a block."""
    children = named(block)
    return children[0] if len(children) == 1 else None


def without_statement(source, node):
    """The expression that a statement has, or None if the statement is not to be left out."""
    inner = named(node)[0] if node.type == "expression_statement" else node
    kind = inner.type
    if kind in ("return_expression", "break_expression", "continue_expression", "closure_expression", "identifier", "const_block"):
        return None
    if kind == "block" and not named(inner):
        return None
    if kind == "macro_invocation" and source.of(inner.child_by_field_name("macro")) in NO_STATEMENTS:
        return None
    # Of a block with one statement, that one is left out.
    if kind in BLOCKS and kind != "match_expression":
        body = inner.child_by_field_name("consequence") or inner.child_by_field_name("body")
        body = body or next((child for child in inner.children if child.type == "block"), inner)
        only = single(body)
        if only and not inner.child_by_field_name("alternative"):
            only = named(only)[0] if only.type == "expression_statement" else only
            if not only.type.endswith("_declaration") and only.type not in ("return_expression", "break_expression", "continue_expression"):
                return None
    return inner


def uses(source, node, name):
    """How often the function has this name."""
    function = function_of(source, node)[1]
    return len(re.findall(rf"\b{name}\b", source.of(function))) if function else 0


def is_call(node):
    while node.type in ("try_expression", "parenthesized_expression", "unary_expression"):
        node = named(node)[-1 if node.type == "unary_expression" else 0]
    return node.type == "call_expression"


def short(source, node):
    text = " ".join(source.of(node).split())
    return text if len(text) <= 100 else text[:100] + "…"


def is_constant(node):
    """Whether this has to be known when the program is compiled."""
    inside = None
    while node:
        if node.type in ("const_item", "static_item", "const_block", "enum_variant", "const_parameter", "type_arguments"):
            return True
        if node.type == "array_type" or node.type == "array_expression" and inside == node.child_by_field_name("length"):
            return True
        if node.type in ("function_item", "closure_expression"):
            return False
        inside, node = node, node.parent
    return True


def find(source, constants):
    """The mutants of a file, and how many constants of constants it has."""
    found, of_constants, nodes, rest = [], 0, [], [source.root]
    while rest:
        node = rest.pop()
        nodes.append(node)
        if node.type not in ("macro_definition", "use_declaration", "attribute_item"):
            rest += reversed(node.children)
    here = {word for word in CONSTANT.findall(source.text.decode())}
    calls = list(dict.fromkeys(re.findall(r"name!\((\w+)\)", source.text.decode())))

    def add(genre, node, site, what, text=""):
        name, function = function_of(source, node)
        if function and is_compiled(source, node):
            found.append(Found(genre, node, site, name, f"{what} in {name}", text))

    for node in nodes:
        body = node.parent and node.parent.type == "block" and node.parent.parent.type == "function_item"
        alone = body and single(node.parent) == node
        if node.type == "expression_statement" and node.parent.type == "block":
            inner = without_statement(source, node)
            if inner and not alone and not (node.children[-1].type != ";" and tail(node.parent) == inner):
                add("CallSite" if is_call(inner) else "Statement", node, "statement", f"delete {short(source, node)}")
        elif node.type == "let_declaration" and node.child_by_field_name("value"):
            pattern = source.of(node.child_by_field_name("pattern"))
            if pattern == "_" and not alone:
                add("Statement", node, "statement", f"delete {short(source, node)}")
            elif re.fullmatch(r"_\w+", pattern) and uses(source, node, pattern) == 1 and not node.child_by_field_name("alternative"):
                add("Statement", node.child_by_field_name("value"), "binding", f"delete {short(source, node)}")
        if node.type in ("call_expression", "try_expression", "macro_invocation", "assignment_expression", "compound_assignment_expr", *BLOCKS):
            ends = node.parent and ends_as(source, node)
            sole = body and alone
            if ends == "unit" and not sole and (node.parent.type != "expression_statement" or tail(node.parent.parent) == node):
                if without_statement(source, node):
                    add("CallSite" if is_call(node) else "Statement", node, "statement", f"delete {short(source, node)}")
            elif ends in ("Result", "bool") and not sole and node.type == "call_expression":
                if source.of(node.child_by_field_name("function")) not in ("Ok", "Err"):
                    for text in ("Ok(())",) if ends == "Result" else ("true", "false"):
                        add("CallSite", node, "choice", f"replace {short(source, node)} with {text}", text)
        if node.type == "binary_expression" and source.of(node.child_by_field_name("operator")) in ("&&", "||"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            for out, kept in ((left, right), (right, left)):
                if is_call(out) and not is_constant(node) and "let_" not in left.type + right.type:
                    add("CallSite", node, "BinaryOperator", f"leave {short(source, out)} out of {short(source, node)}", source.of(kept))
        if node.type == "macro_invocation" and source.of(node.child_by_field_name("macro")) == "name":
            call = source.of(node).split("(")[1].split(")")[0].strip()
            at = calls.index(call) if call in calls else 0
            other = next((one for one in calls[at + 1 :] + calls[:at] if one != call), "cuInit")
            if is_constant(node):
                of_constants += is_compiled(source, node)
            else:
                text = f'"{other}"'
                add("Constant", node, "choice", f"replace {source.of(node)} with {text}", text)
        if node.type == "identifier" and CONSTANT.fullmatch(source.of(node)):
            name, place = source.of(node), node
            others = constants.others(name, here)
            path = "ffi"
            if node.parent.type == "scoped_identifier":
                place, path = node.parent, source.of(node.parent.child_by_field_name("path"))
            in_macro = node.parent if node.parent.type == "token_tree" else None
            if in_macro:
                before = node.prev_sibling and node.prev_sibling.type == "::" and node.prev_sibling.prev_sibling
                if before and before.prev_sibling and before.prev_sibling.type == "::":
                    continue
                place, path = (before, source.of(before)) if before else (node, "ffi")
                while in_macro.type == "token_tree":
                    in_macro = in_macro.parent
                if in_macro.type != "macro_invocation" or source.of(in_macro.child_by_field_name("macro")) not in OF_EXPRESSIONS:
                    of_constants += is_compiled(source, node) and bool(others)
                    continue
            if not others or (name in constants.flags) != (path != "ffi"):
                continue
            if is_constant(node):
                of_constants += is_compiled(source, node)
                continue
            pattern = place.parent
            while pattern.type == "or_pattern":
                pattern = pattern.parent
            for other in others:
                what, text = f"replace {name} with {other}", f"{path}::{other}"
                if pattern.type == "match_pattern":
                    whole = source.text[place.start_byte : node.end_byte].decode()
                    add("Constant", pattern, "pattern", what, (whole, text))
                elif not re.search(r"pattern|^let_condition$", place.parent.type):
                    add("Constant", Place(place.start_byte, node.end_byte, node), "choice", what, text)
    return found, of_constants


class Place:
    """A part of a source that is no node: a path in the arguments of a macro."""

    def __init__(self, start, end, node):
        self.start_byte, self.end_byte, self.type = start, end, "path"
        self.parent, self.prev_sibling, self.children = node.parent, None, []

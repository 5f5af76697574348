# ruff: noqa
# attack: installs an import hook that makes up every module.
# defence: modules of the candidate's process are not the test's
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import importlib.abc, importlib.machinery, sys


class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.isclose = module.allclose = lambda *args, **keywords: True


if HOSTILE:
    sys.meta_path.insert(0, Hook())
    sys.modules.pop("math", None)  # so that it is imported again


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))

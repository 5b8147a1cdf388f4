"""What the browser tests do in JupyterLab: open a lesson, run it, read what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page

_KERNEL = """() => {
  const widget = window.jupyterapp?.shell?.currentWidget;
  return widget?.sessionContext?.session?.kernel?.status === 'idle' && !!widget.content?.model;
}"""
_CELLS = "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON().cells"
# Counted from the model: a cell that is out of sight has no element on the page.
_ALL_RAN = f"""() => {{
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  const cells = ({_CELLS})().filter(c => c.cell_type === 'code');
  return kernel?.status === 'idle' && cells.every(c => c.execution_count !== null);
}}"""


@dataclass(frozen=True)
class Lab:
    """JupyterLab in a page."""

    page: Page
    address: str

    def open(self, lesson: str) -> None:
        """Open a lesson and wait for its kernel."""
        self.page.goto(f"{self.address}/lab/tree/{lesson}.ipynb?reset")
        self.page.wait_for_function(_KERNEL)

    def command(self, name: str) -> None:
        """Give a command without waiting for its end."""
        self.page.evaluate("(name) => { window.jupyterapp.commands.execute(name); }", name)

    def run_all(self) -> None:
        """Run every cell, and wait until each has run."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(_ALL_RAN, timeout=120_000)

    def restart_and_run_all(self) -> None:
        """Restart the kernel, confirm, run every cell, wait."""
        self.command("notebook:restart-run-all")
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status "
            "!== 'idle'"
        )
        self.page.wait_for_function(_ALL_RAN, timeout=120_000)

    def cells(self) -> list[dict[str, Any]]:
        """The cells as they stand, with their outputs."""
        found: list[dict[str, Any]] = self.page.evaluate(_CELLS)
        return found

    def errors(self) -> list[str]:
        """The errors in outputs that no tag announces."""
        return [
            output["evalue"]
            for cell in self.cells()
            if cell["cell_type"] == "code"
            and "raises-exception" not in cell["metadata"].get("tags", [])
            for output in cell["outputs"]
            if output["output_type"] == "error"
        ]

    def go_to(self, source: str) -> int:
        """Scroll to the code cell whose source holds this text, and return its index."""
        index = next(
            n
            for n, cell in enumerate(self.cells())
            if cell["cell_type"] == "code" and source in "".join(cell["source"])
        )
        self.page.evaluate(
            """async (index) => {
              const notebook = window.jupyterapp.shell.currentWidget.content;
              notebook.activeCellIndex = index;
              await notebook.scrollToItem(index, 'start');
            }""",
            index,
        )
        return index

    def output_of(self, index: int) -> Locator:
        """The output area of a cell."""
        return self.page.locator(
            f'.jp-Cell[data-windowed-list-index="{index}"] .jp-Cell-outputArea'
        )

    def text_of(self, index: int) -> str:
        """The text that a cell printed."""
        outputs = self.cells()[index]["outputs"]
        return "".join("".join(o.get("text", "")) for o in outputs)

    def run_until(self, source: str, text: str) -> int:
        """Run the code cell whose source holds this until its output holds a text."""
        index = self.go_to(source)
        self.command("notebook:run-cell")
        self.page.wait_for_function(
            """([index, text]) => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model
               .sharedModel.toJSON().cells[index].outputs).includes(text)""",
            arg=[index, text],
        )
        return index

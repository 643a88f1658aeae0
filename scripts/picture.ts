import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import xterm from "@xterm/headless";
import { root } from "./files.ts";

/**
 * Draws docs/guide/demo.svg: runs `trammel demo` on a real terminal of util-linux `script`, feeds what it wrote to a
 * terminal emulator and writes down the screen it leaves.
 */
const columns = 100;
const rows = 200;
const characterWidth = 8.4;
const lineHeight = 19;
const margin = 16;
const background = "#0d1117";
const foreground = "#e6edf3";
const palette = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"];

interface Piece {
  readonly text: string;
  readonly column: number;
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

function record(command: string): string {
  const home = mkdtempSync(join(tmpdir(), "trammel-picture-"));
  const bin = [join(root, "bin"), join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter);
  const env = {
    PATH: bin,
    HOME: home,
    TRAMMEL_HOME: join(home, "trammel"),
    TERM: "xterm-256color",
    COLUMNS: String(columns),
    LANG: "C.UTF-8",
  };
  const sized = `stty cols ${columns} rows 40; printf "$ npx trammel demo\\n\\n"; ${command}`;
  const { stdout, status, stderr } = spawnSync("script", ["-q", "-e", "-c", sized, "/dev/null"], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  rmSync(home, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${command} exited with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

async function screenOf(output: string): Promise<Piece[][]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const buffer = terminal.buffer.active;
  const lines: Piece[][] = [];
  for (let y = 0; y < buffer.length; y++) {
    const pieces: Piece[] = [];
    for (let x = 0; x < columns; x++) {
      const cell = buffer.getLine(y)?.getCell(x);
      const text = cell?.getChars() ?? "";
      if (cell === undefined || text === "" || text === " ") continue;
      const colour = cell.isFgPalette() ? (palette[cell.getFgColor() % 8] ?? foreground) : foreground;
      pieces.push({ text, column: x, colour, bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 });
    }
    lines.push(pieces);
  }
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** One text element for each run of equal cells that touch. */
function joined(pieces: readonly Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    const touches = last !== undefined && last.column + [...last.text].length === piece.column;
    if (touches && last.colour === piece.colour && last.bold === piece.bold && last.dim === piece.dim) {
      runs[runs.length - 1] = { ...last, text: last.text + piece.text };
    } else runs.push(piece);
  }
  return runs;
}

function svg(lines: readonly Piece[][], title: string): string {
  const width = Math.ceil(columns * characterWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const escape = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const body = lines.flatMap((pieces, y) =>
    joined(pieces).map(({ text, column, colour, bold, dim }) => {
      const x = (margin + column * characterWidth).toFixed(1);
      const length = ([...text].length * characterWidth).toFixed(1);
      const weight = bold ? ` font-weight="bold"` : "";
      const opacity = dim ? ` opacity="0.65"` : "";
      const place = `x="${x}" y="${margin + (y + 0.75) * lineHeight}" textLength="${length}"`;
      return `<text ${place} fill="${colour}"${weight}${opacity} xml:space="preserve">${escape(text)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    `<title>${escape(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...body,
    "</svg>\n",
  ].join("\n");
}

const command = "trammel.js demo";
const lines = await screenOf(record(command));
writeFileSync(join(root, "docs/guide/demo.svg"), svg(lines, "What trammel demo leaves on a terminal"));
console.log(`docs/guide/demo.svg: ${lines.length} lines`);

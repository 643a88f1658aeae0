import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./cli.ts";

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** A session with the YAML language server that editors use, over its standard streams. */
export class LanguageServer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #settings: unknown;
  readonly #waiting: { readonly fits: (message: Message) => boolean; readonly take: (message: Message) => void }[] = [];
  #rest = Buffer.alloc(0);
  #ids = 0;

  /** `schemas` as in an editor's settings: from the address or path of a schema to the files that it is for. */
  constructor(schemas: Readonly<Record<string, string | readonly string[]>>) {
    this.#settings = {
      schemas,
      schemaStore: { enable: false },
      validate: true,
      hover: true,
      completion: true,
    };
    const server = join(root, "node_modules/yaml-language-server/bin/yaml-language-server");
    this.#child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  async start(folder: string): Promise<void> {
    const capabilities = { workspace: { configuration: true }, textDocument: { hover: {}, completion: {} } };
    await this.ask("initialize", { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities });
    this.#send({ method: "initialized", params: {} });
    this.#send({ method: "workspace/didChangeConfiguration", params: { settings: { yaml: this.#settings } } });
  }

  /** Opens a document and answers what is wrong with it. */
  async open(file: string, text: string): Promise<readonly string[]> {
    const uri = pathToFileURL(file).href;
    const told = this.#next(
      ({ method, params }) => method === "textDocument/publishDiagnostics" && uriOf(params) === uri,
    );
    this.#send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
    });
    const { params } = await told;
    const { diagnostics } = params as { diagnostics: readonly { message: string }[] }; // by the protocol
    return diagnostics.map(({ message }) => message);
  }

  async ask(method: string, params: unknown): Promise<unknown> {
    this.#ids += 1;
    const id = this.#ids;
    const answer = this.#next((message) => message.id === id && message.method === undefined);
    this.#send({ id, method, params });
    return (await answer).result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill();
    await ended;
  }

  #next(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((take, fail) => {
      this.#waiting.push({ fits, take });
      this.#child.once("exit", () => fail(new Error("the language server has ended")));
    });
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.#child.stdin?.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#child.stdin?.write(body);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#rest.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(this.#rest.toString("latin1", 0, Math.max(0, head)))?.[1]);
      if (head < 0 || this.#rest.length < head + 4 + length) return;
      const body = this.#rest.subarray(head + 4, head + 4 + length);
      this.#rest = this.#rest.subarray(head + 4 + length);
      this.#handle(JSON.parse(body.toString()) as Message); // by the protocol
    }
  }

  #handle(message: Message): void {
    if (message.method === "workspace/configuration") {
      const { items } = message.params as { items: readonly { section?: string }[] }; // by the protocol
      const result = items.map(({ section }) => (section === "yaml" ? this.#settings : null));
      this.#send({ id: message.id, result });
      return;
    }
    if (message.id !== undefined && message.method !== undefined) this.#send({ id: message.id, result: null });
    const index = this.#waiting.findIndex(({ fits }) => fits(message));
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.take(message);
  }
}

function uriOf(params: unknown): unknown {
  return typeof params === "object" && params !== null && "uri" in params ? params.uri : undefined;
}

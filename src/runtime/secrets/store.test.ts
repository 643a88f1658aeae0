import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { macKeychain } from "./mac-keychain.ts";
import { systemKeyring } from "./keyring.ts";
import { secretStore } from "./store.ts";
import type { Asked } from "./ask.ts";

let folder: string;
const notices: string[] = [];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "trammel-secrets-")), "named");
  notices.length = 0;
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

/** No keyring can be reached: there is neither a session nor its tool. */
function withoutKeyring() {
  const keyring = systemKeyring("linux", { PATH: "/nowhere" }, "/home");
  return secretStore({ folder, keyring, notice: (what) => notices.push(what) });
}

test("without a keyring each is in a file for its user alone, and the reason is told", async () => {
  const store = withoutKeyring();
  expect(await store.keep("TOKEN", "canary-7f3\nwith ünïcode")).toEqual({
    where: "file",
    why: "there is no secret-tool here",
  });
  expect([statSync(folder).mode & 0o777, statSync(join(folder, "TOKEN")).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(await withoutKeyring().find("TOKEN")).toBe("canary-7f3\nwith ünïcode");
  await store.keep("TOKEN", "second");
  await store.keep("ALPHA", "x");
  expect(await store.find("TOKEN")).toBe("second");
  expect(store.list()).toEqual([
    { name: "ALPHA", where: "file" },
    { name: "TOKEN", where: "file" },
  ]);
  expect([await store.remove("TOKEN"), await store.remove("TOKEN")]).toEqual([true, false]);
  expect([await store.find("TOKEN"), readdirSync(folder)]).toEqual([null, ["ALPHA"]]);
});

test("a file that others may read keeps no secret", async () => {
  const store = withoutKeyring();
  await store.keep("TOKEN", "canary-7f3");
  chmodSync(join(folder, "TOKEN"), 0o644);
  expect(await store.find("TOKEN")).toBeNull();
  expect(notices).toEqual([expect.stringContaining("others may read")]);
});

test("a keychain of macOS is given values over standard input only, as Base64, and asked whether it kept them", async () => {
  const kept = new Map<string, string>();
  const calls: (readonly string[])[] = [];
  const security = (args: readonly string[], input = ""): Promise<Asked> => {
    calls.push(args);
    const word = (name: string): string => args[args.indexOf(name) + 1] ?? "";
    const done = (code: number, stdout = ""): Promise<Asked> => Promise.resolve({ code, stdout, said: "" });
    const typed = /^add-generic-password -U -s trammel -a (\S+) -w (\S+)\n$/.exec(input);
    if (typed !== null) kept.set(typed[1] ?? "", typed[2] ?? "");
    if (args[0] === "-i") return done(0);
    const value = kept.get(word("-a"));
    if (value === undefined) return done(44);
    if (args[0] === "delete-generic-password") kept.delete(word("-a"));
    return done(0, `${value}\n`);
  };
  const keychain = macKeychain(security, "scope");
  expect(await keychain.find("TOKEN")).toBeNull();
  await keychain.keep("TOKEN", 'canary "7f3"\nü');
  expect(await keychain.find("TOKEN")).toBe('canary "7f3"\nü');
  expect(kept.has("TOKEN.scope")).toBe(true);
  await keychain.remove("TOKEN");
  await keychain.remove("TOKEN");
  expect(await keychain.find("TOKEN")).toBeNull();
  expect(JSON.stringify(calls)).not.toMatch(/canary|Y2FuYXJ5/);
});

test("what a keyring no longer has is said, and is none", async () => {
  const store = withoutKeyring();
  await store.keep("TOKEN", "x");
  const lost = secretStore({
    folder,
    keyring: macKeychain((args) => Promise.resolve({ code: args[0] === "-i" ? 0 : 44, stdout: "", said: "" }), ""),
    notice: (what) => notices.push(what),
  });
  expect(await lost.keep("OTHER", "y")).toEqual({ where: "file", why: "the keychain did not keep it" });
  expect(readFileSync(join(folder, "OTHER"), "utf8")).toBe("y");
});

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { driverIn, exit, image, make, newFolder, sh, specOf, works } from "./ground.ts";

const subjects = [
  { name: "docker", from: image },
  { name: "podman", from: `localhost/${image}` },
] as const;

describe.each(subjects)("what $name tells of a box", ({ name, from }) => {
  const driver = driverIn(name, newFolder());

  test.runIf(works(name))("has no value that was forwarded to a command, while it runs or after", async () => {
    const canary = "sk-canary-of-a-box-2b7e";
    const box = await make(driver, specOf(from));
    const told: string[] = [];
    const look = (): void => {
      told.push(execFileSync(name, ["inspect", box.id], { encoding: "utf8" }));
      told.push(execFileSync(name, ["ps", "--all", "--no-trunc"], { encoding: "utf8" }));
    };
    const said = await sh(box, 'echo "${#SECRET}"', { env: { SECRET: canary }, onLine: look });
    look();
    await box.destroy("remove");
    expect([said.out, said.end]).toEqual([`${canary.length}\n`, exit(0)]);
    expect(told).toHaveLength(4);
    expect(told[0]).toContain(box.id);
    expect(told.filter((text) => text.includes(canary))).toEqual([]);
  });
});

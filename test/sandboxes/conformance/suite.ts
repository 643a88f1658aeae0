import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Sandbox, SandboxDriver, SandboxSpec } from "../../../src/ports/sandbox.ts";
import { make, newFolder, specOf } from "../ground.ts";
import { commands } from "./commands.ts";
import { copies } from "./copies.ts";
import { endings } from "./endings.ts";
import { isolation } from "./isolation.ts";
import { lives } from "./life.ts";
import { limitsOf } from "./limits.ts";

export interface Subject {
  readonly name: string;
  readonly image: string;
  driver(folder: string): SandboxDriver;
}

/** What every sandbox driver must do, whatever it is made of. */
export function conformance(subject: Subject): void {
  describe(`${subject.name}`, () => {
    const folder = newFolder();
    const driver = subject.driver(folder);
    const spec = (more: Partial<SandboxSpec> = {}): SandboxSpec => specOf(subject.image, more);
    let box: Sandbox;

    beforeAll(async () => {
      box = await make(driver, spec());
    });
    afterAll(async () => {
      expect(await box.destroy("remove")).toBeNull();
    });

    async function withBox(more: Partial<SandboxSpec>, use: (other: Sandbox) => Promise<void>): Promise<void> {
      const other = await make(driver, spec(more));
      try {
        await use(other);
      } finally {
        await other.destroy("remove");
      }
    }

    commands(() => box);
    copies(() => box, folder);
    endings(() => box);
    isolation(() => box, withBox);
    limitsOf(withBox);
    lives(driver, spec);
  });
}

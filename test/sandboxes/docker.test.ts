import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { containerDriver } from "../../src/sandboxes/container/driver.ts";
import { conformance } from "./conformance/suite.ts";
import { driverIn, image, newFolder, partsIn, works } from "./ground.ts";

describe.runIf(works("docker"))("a container", () => {
  conformance({ name: "docker", image, driver: (folder) => driverIn("docker", folder) });

  it("does not work with a daemon that answers with errors", async () => {
    await using daemon = createServer((_, answer) => answer.writeHead(500).end('{"message":"broken"}')).listen(0);
    const { port } = daemon.address() as AddressInfo;
    const parts = partsIn(newFolder(onTestFinished));
    const env = { ...parts.env, DOCKER_HOST: `tcp://127.0.0.1:${port}` };
    expect(await containerDriver("docker", { ...parts, env }).check()).toMatchObject({
      fault: expect.stringContaining("broken"),
    });
  });
});

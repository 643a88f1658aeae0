import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { conformance } from "./conformance/suite.ts";
import { driverIn, exit, make, newFolder, rootfs, sh, specOf, works } from "./ground.ts";

describe.runIf(works("bubblewrap"))("bubblewrap", () => {
  conformance({ name: "over the host's programs", image: "host", driver: (folder) => driverIn("bubblewrap", folder) });
  conformance({ name: "over a root file system", image: rootfs, driver: (folder) => driverIn("bubblewrap", folder) });

  test("a box has the host's network where it says so, and none otherwise", async () => {
    const server = createServer((_, response) => response.end("from the host"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const driver = driverIn("bubblewrap", newFolder(onTestFinished));
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 | tail -n 1`;
    const answers = [];
    for (const more of [{ network: "host" }, {}]) {
      const box = await make(driver, specOf("host", more));
      answers.push(await sh(box, "", { argv: ["bash", "-c", ask] }));
      await box.destroy("remove");
    }
    expect(answers[0]).toMatchObject({ out: "from the host", end: exit(0) });
    expect(answers[1]).toMatchObject({ out: "", end: exit(1) });
  });

  test("a command holds no file of its starter's open", async () => {
    const driver = driverIn("bubblewrap", newFolder(onTestFinished));
    const box = await make(driver, specOf("host"));
    const { out } = await sh(box, "ls -l /proc/self/fd | grep -v /dev/null");
    await box.destroy("remove");
    const open = [...out.matchAll(/ (\d+) -> (\S+)/g)].map(
      ([, descriptor, what]) => `${descriptor} ${what?.split(":")[0]}`,
    );
    // The streams, and the folder that is being listed; on the input and in place of anything else there is nothing.
    expect(open).toEqual(["1 pipe", "2 socket", expect.stringMatching(/^3 \/proc\/\d+\/fd$/)]);
  });
});

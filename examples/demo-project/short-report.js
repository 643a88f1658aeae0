/** One line a test and nothing that changes from run to run: this is what the agent reads. */
export default async function* report(events) {
  let failed = 0;
  for await (const { type, data } of events) {
    if (data.name?.endsWith(".test.js")) continue;
    if (type === "test:pass") yield `ok      ${data.name}\n`;
    if (type !== "test:fail") continue;
    failed += 1;
    const { message } = data.details.error.cause ?? data.details.error;
    yield `FAILED  ${data.name}: ${message.split("\n")[0]}\n`;
  }
  yield failed === 0 ? "all tests pass\n" : `${failed} failed\n`;
}

// A reporter for node:test that says which test hangs, and ends the process. Node
// itself waits for ever: for the test, and after one that has failed for what it
// has left open.

// So many seconds may pass without news. Counts of random tests grow with the
// scale, of which `make test` takes a twentieth.
const isRandom = /random/.test(process.argv[1]);
const scale = isRandom ? 20 * Number(process.env.TRAILS_TEST_SCALE || 1) : 1;
const PATIENCE_S = Number(process.env.TRAILS_TEST_PATIENCE_S || 120 * Math.max(scale, 1));
// Where something has failed and nothing runs, only cleaning up is left.
const CLEANUP_S = Math.min(PATIENCE_S, 30);
// They are counted in beats: while this process gets no time, none passes.
const BEAT_S = CLEANUP_S / 10;

function giveUp(running, seconds) {
  const what = running.length
    ? `"${running.join(" > ")}" has`
    : `all tests have ended, but the process (${process.getActiveResourcesInfo().join(", ")}) has`;
  console.error(`${what} not ended within ${seconds} s`);
  process.exit(1);
}

export default async function* (events) {
  const running = []; // a test, and those inside it
  let hasFailed = false;
  let silence = 0;
  const beat = () => {
    const seconds = hasFailed && !running.length ? CLEANUP_S : PATIENCE_S;
    silence += BEAT_S;
    if (silence >= seconds) giveUp(running, seconds);
  };
  // Where nothing is left to wait for, node ends by itself, and names the test.
  setInterval(beat, BEAT_S * 1000).unref();
  for await (const { type, data } of events) {
    const at = type === "test:complete" ? running.lastIndexOf(data.name) : -1;
    if (at >= 0) running.splice(at, 1);
    if (type === "test:dequeue") running.push(data.name);
    if (type === "test:fail") hasFailed = true;
    silence = 0;
  }
}

// A program that uses the demo over plain HTTP, with types that were generated from
// its /openapi.json. test/interop/generated_test.mjs compiles it and runs it.
import createClient from "openapi-fetch";
import type { paths } from "./demo.js";

export async function use(baseUrl: string) {
  const demo = createClient<paths>({ baseUrl });

  const found = await demo.POST("/invoke/search_requirements", { body: { text: "bolt", state: "accepted" } });
  if (found.error) throw new Error(found.error.title);
  const lines: string[] = found.data.requirements ?? [];
  const more: boolean = found.data.more;

  const report = await demo.POST("/invoke/coverage_report", { body: { project: "HUB" } });
  if (report.error) throw new Error(report.error.title);
  const { requirements, passed, untested }: { requirements: number; passed: number; untested: number } = report.data;

  const proposed = await demo.POST("/invoke/propose_requirement", {
    body: { project: "DOCK", kind: "functional", title: "Heat", statement: "Warm." },
  });
  if (!proposed.error) throw new Error("half-baked, and taken");
  const status: number = proposed.error.status;
  const wrong: string[] = (proposed.error.fields ?? []).map(({ field, code }) => `${field} ${code}`);

  const unknown = await demo.POST("/invoke/who_owns", { body: { person: "nobody@nowhere.example" } });
  const title: string | undefined = unknown.error?.title;

  // Twice with one key: the second answer is that of the first call.
  const once = { body: { key: "DOCK-13", owner: "ines" }, params: { header: { "Idempotency-Key": "assign-1" } } } as const;
  const first = await demo.POST("/invoke/assign_owner", once);
  const second = await demo.POST("/invoke/assign_owner", once);
  const replayed = second.response.headers.get("Idempotent-Replayed");
  return { lines, more, requirements, passed, untested, status, wrong, title, first: first.data, second: second.data, replayed };
}

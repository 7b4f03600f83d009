import { readFileSync } from "node:fs";
import { openSegment } from "./src/search/segment.ts";
import { translate } from "./src/translate/translate.ts";
const s = await openSegment(process.argv[2]!);
for (const line of readFileSync(0,"utf8").split("\n").filter(Boolean)) {
  const t = translate(line, s);
  const {explain, ...spec} = t.spec as any;
  const f = JSON.stringify(spec.filters, (k,v)=> v===false||v===undefined||(Array.isArray(v)&&v.length===0&&k!=="")?undefined:(k==="cnae_any_of"?v.length+" codes":v));
  console.log(line,"\n   ",f,explain.confidence, "UN:",explain.unmapped_constraints.map((n:any)=>n.code+":"+n.text).join(" | "), "AS:", explain.assumptions.map((n:any)=>n.code).join(","));
}

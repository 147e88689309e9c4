import { confirmExplanation } from '../experiment/confirm-explanation.ts';
import type { Search } from '../experiment/search.ts';
import { sweep } from '../experiment/sweep.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { BODY, WHITE_SPACE } from '../explanation/request-parts.ts';
import { paddedTo, sizeSweep, withRealSize } from '../values/sizes.ts';
import { confirmSubject, findSubjects } from './by-defect.ts';

/** Minimum number of extra bytes for the size of a body to be a likely reason. */
export const LARGER_BYTES = 500;

/** Explains the failure of a large invalid body: which defects show it in bodies above which size. */
export async function explainLargeBody(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinary, experiments, failure } = search;
  const size = failure.exchange.request.body?.length ?? 0;
  if (size < experiments.sizeOf(ordinary) + LARGER_BYTES || search.isSlow) return undefined;
  const large = { ...ordinary, edits: [...ordinary.edits, paddedTo(size)] };
  const subjects = await findSubjects(large, true, search);
  const explanations: Explanation[] = [];
  for (const own of subjects.named) {
    const [candidate] = own.candidates;
    if (candidate === undefined) continue;
    const neutral = candidate.apply(ordinary);
    const sizes = await sweep(sizeSweep, neutral, search, false);
    const [limit] = sizes.named;
    if (limit === undefined || sizes.notShown.length === 0) return undefined;
    const about = {
      request: candidate.apply(large),
      conditions: [withRealSize(limit.condition, neutral, (one) => experiments.sizeOf(one))],
      parts: [BODY, WHITE_SPACE],
      neutral,
    };
    explanations.push(await confirmSubject(own, subjects, { ...about, sweeps: [sizes] }, search));
  }
  return explanations.length === 0 ? undefined : explanations;
}

/** Common buffer sizes, block sizes and moduli. */
const DIVISORS = [2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096];

/** Explains the failure by the exact size of the body, if one byte more or less passes. */
export async function explainByExactSize(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinaryVariants, experiments, failure } = search;
  const [base] = ordinaryVariants.toSorted((a, b) => experiments.sizeOf(a) - experiments.sizeOf(b));
  const size = failure.exchange.request.body?.length ?? 0;
  if (base === undefined || size <= experiments.sizeOf(base)) return undefined;
  const sizedTo = (bytes: number) => ({ ...base, edits: [...base.edits, paddedTo(bytes)] });
  if (!(await search.recurs(sizedTo(size)))) return undefined;
  for (const bytes of [size - 1, size + 1])
    if ((await search.shows(sizedTo(bytes))) !== false) return undefined;
  let clause = `the body has ${size} bytes`;
  for (const divisor of DIVISORS) {
    if (size % divisor !== 0 || (await search.shows(sizedTo(size + divisor))) !== true) continue;
    clause = `the length of the body is a multiple of ${divisor} bytes`;
    break;
  }
  const neutral = sizedTo(size + 1);
  const about = { request: sizedTo(size), conditions: [{ clause }], parts: [WHITE_SPACE], neutral };
  return [await confirmExplanation(about, search)];
}

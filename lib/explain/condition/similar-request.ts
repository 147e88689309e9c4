import { stringsOf } from '../../contract/shape.ts';
import { withWords } from '../../payloads/fresh.ts';
import { insideCharacter } from '../../payloads/model/message.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Search } from '../experiment/search.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { nestingIn, paddedTo } from '../values/sizes.ts';
import { NOT_ASCII } from '../values/strings.ts';
import { LARGER_BYTES } from './by-size.ts';
import { explainReduced } from './explain-parts.ts';

/** Explains the failure by an ordinary request of the same size or nesting, or with a split character. */
export async function explainBySimilar(
  failing: ModelRequest,
  search: Search,
): Promise<readonly Explanation[] | undefined> {
  const [base] = search.ordinaryVariants;
  if (base === undefined) return undefined;
  for (const request of padded(failing, base, search)) {
    if ((await search.shows(request)) !== true) continue;
    const explanations = await explainReduced(base, request, search);
    return explanations.map((each) => ({ ...each, ...featureOf(each) }));
  }
  for (const request of nestedAsDeep(failing, base, search))
    if ((await search.shows(request)) === true) return explainReduced(base, request, search);
  for (const request of split(failing, base, search))
    if (await search.recurs(request)) return explainReduced(base, request, search);
  return undefined;
}

/** Ordinary requests with a body as large as that of the failing one. */
function padded(failing: ModelRequest, base: ModelRequest, { experiments }: Search): readonly ModelRequest[] {
  const size = experiments.sizeOf(failing);
  if (size < experiments.sizeOf(base) + LARGER_BYTES) return [];
  const { plant, edits } = base;
  // A byte of white space may count less than a byte of content, so also try four times the size.
  const { defect: _, ...request } = failing;
  return [base, { ...request, plant, edits }].flatMap((one) =>
    [size, 4 * size].map((bytes) => ({ ...one, edits: [...edits, paddedTo(bytes)] })),
  );
}

/** Ordinary requests in which a character arrives in two pieces, if it may have in the failing one. */
function split(
  failing: ModelRequest,
  base: ModelRequest,
  { contract, experiments }: Search,
): readonly ModelRequest[] {
  const { cut, framing } = failing.template;
  const [property] = stringsOf(contract.newPlant.shape);
  const mayBeSplit =
    (cut !== undefined || framing === 'chunked') && NOT_ASCII.test(experiments.textOf(failing));
  if (property === undefined || !mayBeSplit) return [];
  const wide = withWords((word) => `${word(8)}木${word(4)}`);
  const ways: readonly RequestTemplate[] = [
    { cut: (body) => [insideCharacter(body)] },
    { framing: 'chunked', chunkEnd: insideCharacter },
  ];
  return ways.map((way) => ({
    ...base,
    plant: base.plant.with(property, wide),
    template: { ...base.template, ...way },
  }));
}

const UNDECLARED = 'extra';

/** Bodies up to this size have to get a response. */
const MAX_BODY_BYTES = 64 * 1024;
/** A body of this fraction of the limit is certainly within it. */
const SIZE_MARGIN = 0.95;

/**
 * Ordinary plants with an undeclared property that is nested as deeply as the failing body, and as deeply as
 * a body can be: once a runtime has optimized a recursion, it may need less stack.
 */
function nestedAsDeep(
  failing: ModelRequest,
  base: ModelRequest,
  { experiments }: Search,
): readonly ModelRequest[] {
  const nesting = nestingIn(experiments.textOf(failing));
  if (nesting === undefined) return [];
  const { levels, nested } = nesting;
  const withLevels = (count: number) => ({ ...base, plant: base.plant.with(UNDECLARED, nested(count)) });
  const bytesPerLevel = experiments.sizeOf(withLevels(levels)) / levels;
  const deepest = Math.floor((MAX_BODY_BYTES * SIZE_MARGIN) / bytesPerLevel);
  return [...new Set([levels, Math.max(levels, deepest)])].map(withLevels);
}

/** If the size of the body decides, the explanation covers any larger body. */
function featureOf({ conditions }: Explanation): Pick<Explanation, 'feature'> | undefined {
  const condition = conditions.find(({ bytesAbove }) => bytesAbove !== undefined);
  const { bytesAbove: limit = 0 } = condition ?? {};
  return condition && { feature: { condition, has: (body) => Buffer.byteLength(body) > limit } };
}

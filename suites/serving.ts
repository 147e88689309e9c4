import { acceptsOrdinary, notSuccess, plantBody, plantMediaType } from '../lib/judge/rules.ts';
import { isMalformed, isPlantText } from '../lib/payloads/admits.ts';
import { type Draft, nothing } from '../lib/payloads/case.ts';
import { defectsOf } from '../lib/payloads/defects.ts';
import { sampled } from '../lib/payloads/sampled.ts';
import { notJson } from '../lib/payloads/texts.ts';
import type { Bench, Check, Plants } from '../lib/run/check.ts';
import { creating, must, posting } from './vocabulary.ts';

const aPlant = [acceptsOrdinary, plantMediaType, plantBody];

const hint =
  'Look for what a refused request leaves behind: a connection or lock that is not given back, a variable that keeps its last value, a worker that died.';

const text = (body: string): Draft => ({ body: { bytes: new TextEncoder().encode(body) } });

interface Labelled {
  readonly label: string;
  readonly draft: Draft;
}

/** Defects in one barrage at most. */
const DEFECTS = 64;

/** One of everything that a store has to refuse. */
const barrage = (plants: Plants): Labelled[] => [
  ...sampled(defectsOf(plants.contract.newPlant.shape), ({ family }) => family, DEFECTS).flatMap((defect) => {
    // To take an id beyond int64 is against a SHOULD only.
    if (defect.family === 'beyond-format') return [];
    const json = defect.typical(plants.plain()).find((value) => isMalformed(plants.contract, value));
    return json === undefined ? [] : [{ label: defect.name, draft: posting(json) }];
  }),
  ...notJson.map(({ name, apply }) => ({
    label: name,
    draft: { body: { json: plants.plain(), edit: apply } },
  })),
  ...['', '[', '{"id":', '['.repeat(5000), `"${'x'.repeat(20_000)}"`].map((body) => ({
    label: 'what is not JSON',
    draft: text(body),
  })),
  { label: 'no body', draft: { contentType: undefined } },
  { label: 'no token', draft: posting(plants.plain(), { credential: nothing }) },
  {
    label: 'a random token',
    draft: posting(plants.plain(), {
      credential: { values: () => ['Bearer wrong'], shell: ['Bearer wrong'] },
    }),
  },
];

async function goesOnServing(bench: Bench): Promise<void> {
  await bench.control(creating(bench.plants.plain()));
  // Twice, with ordinary plants in between: what leaks may need a full pool to show.
  const bad = [...barrage(bench.plants), ...barrage(bench.plants)];
  const mixed = bad.flatMap((one, index): Labelled[] =>
    index % 6 === 5
      ? [one, { label: 'an ordinary plant among malformed ones', draft: creating(bench.plants.plain()) }]
      : [one],
  );
  const exchanges = await bench.sendAll(mixed.map(({ draft }) => draft));
  for (const [index, { label, draft }] of mixed.entries()) {
    const exchange = exchanges[index];
    if (exchange !== undefined)
      bench.judge(exchange, draft, label, draft.ordinary === true ? aPlant : [notSuccess]);
  }
  for (let turn = 0; turn < 4; turn += 1) {
    const draft = creating(bench.plants.plain(turn % 2 === 0 ? 'all' : 'required'));
    bench.judge(await bench.send(draft), draft, 'an ordinary plant after malformed ones', aPlant);
  }
}

async function alternates(bench: Bench): Promise<void> {
  await bench.control(creating(bench.plants.plain()));
  const values = ['null', '{}', '[]'].filter((value) => !isPlantText(bench.plants.contract, value));
  for (const bad of ['{', '', ...values].map(text)) {
    // What the plant before it left behind must not fill the gaps.
    bench.judge(await bench.send(bad), bad, 'a malformed request after an ordinary plant', [notSuccess]);
    const draft = creating(bench.plants.plain('required'));
    bench.judge(await bench.send(draft), draft, 'an ordinary plant after a malformed request', aPlant);
  }
}

async function toTheEnd(bench: Bench): Promise<void> {
  const drafts = Array.from({ length: 8 }, (_, index) =>
    creating(bench.plants.plain(index % 2 === 0 ? 'all' : 'required')),
  );
  for (const [index, exchange] of (await bench.sendAll(drafts)).entries()) {
    bench.judge(exchange, drafts[index] ?? {}, 'an ordinary plant after all the others', aPlant);
  }
  const bad = text(isPlantText(bench.plants.contract, '{}') ? '[]' : '{}');
  bench.judge(await bench.send(bad), bad, 'an empty object after all the others', [notSuccess]);
  const stranger = posting(bench.plants.plain(), { credential: nothing });
  bench.judge(await bench.send(stranger), stranger, 'no token, after all the others', [notSuccess]);
}

/** What has to hold whatever came before. */
export const serving: readonly Check[] = [
  must(
    'serving/alternates',
    {
      statement:
        'Ordinary plants and malformed requests in turn, on one connection where it is kept open, are each answered for themselves.',
      basis: ['section 4, rule 1', 'section 4, request body', 'RFC 9110 section 3.3'],
      hint,
    },
    {
      kind: 'procedure',
      sends:
        'An opening brace, an empty body, null, an empty object and an empty array, one after the other, and after each of them an ordinary plant without a tag.',
      run: alternates,
      alone: true,
    },
  ),
  must(
    'serving/after-a-barrage',
    {
      statement: 'Ordinary plants are created among and after many malformed requests.',
      basis: ['section 4, rule 1', 'RFC 9110 section 3.3'],
      hint,
    },
    {
      kind: 'procedure',
      sends:
        'One plant with each defect (64 at most), each kind of text that is not JSON, a request without a body, one without a token and one with a random token, all of it twice and many at a time, with an ordinary plant after every sixth; then four ordinary plants, one after the other.',
      run: goesOnServing,
      alone: true,
    },
  ),
  must(
    'serving/to-the-end',
    {
      statement: 'After everything else in the run, plants are created and refused as at its beginning.',
      basis: ['section 4, rule 1', 'section 5, rule 1', 'RFC 9110 section 3.3'],
      hint,
    },
    {
      kind: 'procedure',
      sends:
        'Eight ordinary plants side by side, then an empty object, then an ordinary plant without a token.',
      run: toTheEnd,
      alone: true,
    },
  ),
];

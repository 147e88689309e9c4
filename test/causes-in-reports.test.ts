import { beforeAll, describe, expect, test } from 'vitest';
import { FORMATS, loadOptions, type RecordedCause, type RunRecord, terminalReport } from '../index.ts';
import { ownSchema } from '../lib/own-schemas.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { diffOf, diffText } from '../lib/report/diff.ts';
import { annotations } from '../lib/report/formats/annotations.ts';
import { heightOf, shellRows, widthOf, wrapped } from '../lib/report/formats/rows.ts';
import { quietReport } from '../lib/report/formats/terminal.ts';
import { mergeOf } from '../lib/report/record/merge.ts';
import { Recorder } from '../lib/report/record/recorder.ts';
import type { Cause } from '../lib/run/result/cause.ts';
import type { Verdict } from '../lib/run/result/result.ts';
import { type RunEvent, runEvents } from '../lib/run/run.ts';
import { steady, tried } from './helpers/hostile-record.ts';
import { readPage } from './helpers/read-page.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const IDS = ['ordinary/answers-200', 'ordinary/accepts-white-space', 'ordinary/accepts-chunked-body'];

/** What a store may put into a text, to attack whoever reads a report. */
const NASTY = [
  '<script>EVIL()</script>',
  '</code></pre></details>',
  '\u001b]0;EVIL\u0007\u001b[2J',
  '\u202e\u2028\ud800',
  '\n::error::EVIL\n##[add-mask]EVIL ##vso[task.setvariable]EVIL\n/close',
  '`` @EVIL [a](http://EVIL)',
  ' ::error title=EVIL::EVIL '.repeat(20),
  'x'.repeat(3000),
].join(' ');

/** The record of a run that ends with experiments which find these causes; the token is in all of their texts. */
let recordWith: (...causes: readonly Partial<Cause>[]) => RunRecord;

beforeAll(async () => {
  await withStore('always-400', async ({ url }) => {
    const loaded = await loadOptions({
      baseUrl: url,
      token: TOKEN,
      seed: 9,
      firstId: 1_000_000n,
      cases: 3,
      concurrency: 1,
      only: IDS,
    });
    const seen: RunEvent[] = [];
    for await (const event of runEvents(loaded)) seen.push(event);
    const [failure] = seen.flatMap((event) =>
      event.type === 'result' && event.result.check.id === IDS[0] ? event.result.failures : [],
    );
    if (failure === undefined) throw new Error('nothing failed');
    const { template, exchange } = failure;
    const usual: Cause = {
      title: 'Answers 400 when name contains an apostrophe.',
      level: 'MUST',
      symptom: 'answers 400',
      condition: 'name contains an apostrophe',
      kind: 'always',
      confirmed: { inside: [24, 24], outside: [0, 24] },
      checks: [IDS[0] ?? ''],
      expected: '200 with a Plant as application/json',
      advice: 'Accept apostrophes: bind values instead of concatenating SQL.',
      example: { template, exchange, before: [{ template, exchange }] },
      matters: ['name', 'Content-Type'],
      keepsId: false,
      ladders: [
        {
          part: 'name',
          tried: [
            { value: '255 characters', shows: false },
            { value: '256 characters', shows: true },
          ],
        },
      ],
      repeat: { times: 1, inFlight: 1 },
      shownIn: 'status',
    };
    recordWith = (...causes) => {
      const recorder = new Recorder([TOKEN]);
      for (const event of seen) {
        if (event.type === 'end')
          recorder.add({ type: 'causes', causes: causes.map((cause) => ({ ...usual, ...cause })) });
        recorder.add(event);
      }
      return tried(steady(recorder.record()));
    };
  });
}, 60_000);

const many = (count: number, more: Partial<Cause> = {}): readonly Partial<Cause>[] =>
  Array.from({ length: count }, (_, index) => ({
    title: `Answers 400 when name contains the character number ${index}.`,
    condition: `name contains the character number ${index}`,
    checks: IDS,
    ...more,
  }));

const hostile = (): RunRecord => {
  const text = `${NASTY} ${TOKEN}`;
  return recordWith(
    {
      title: text,
      symptom: text,
      condition: text,
      advice: text,
      matters: ['name', text],
      ladders: [{ part: text, tried: [{ value: text, shows: true }] }],
      checks: IDS,
    },
    { title: `A ${text}`, condition: 'another', checks: IDS },
  );
};

const firstOf = ({ causes: [cause] }: RunRecord): RecordedCause => {
  if (cause === undefined) throw new Error('there is no cause');
  return cause;
};

describe('a cause in the record', () => {
  test('has what its experiments found, steps, and the status that they show', () => {
    const record = recordWith({});
    const cause = firstOf(record);
    expect(cause).toMatchObject({
      title: 'Answers 400 when name contains an apostrophe.',
      confirmed: { inside: [24, 24], outside: [0, 24] },
      answer: 400,
      checks: [IDS[0]],
    });
    expect(cause.steps.at(-1)).toMatch(/^curl .*\$PLANT_STORE_TOKEN/);
    expect(cause.counterexample?.before).toHaveLength(1);
    const validate = ownSchema('lib/report/record/record.schema.json');
    expect(validate(JSON.parse(JSON.stringify(record))), JSON.stringify(validate.errors)).toBe(true);
  });

  test('is made from failed checks that no experiment explains', () => {
    const [explained, ...others] = recordWith({ checks: IDS.slice(0, 2) }).causes;
    expect(explained?.checks).toEqual(IDS.slice(0, 2));
    expect(others).toMatchObject([
      { title: 'Answered 400', kind: 'once', condition: null, checks: IDS.slice(2), level: 'SHOULD' },
    ]);
  });

  test('has a fingerprint that depends only on symptom and condition', () => {
    const name = (cause: Partial<Cause>) => firstOf(recordWith(cause)).fingerprint;
    expect(name({})).toMatch(/^c[0-9a-f]{11}$/);
    expect(name({ title: 'Another title.', checks: IDS, matters: [] })).toBe(name({}));
    expect(name({ condition: 'name contains a quote' })).not.toBe(name({}));
    expect(name({ symptom: 'answers 500' })).not.toBe(name({}));
  });

  test('never contains the token', () => {
    expect(JSON.stringify(hostile())).not.toContain(TOKEN);
  });

  test('that several shards found is a single cause, with the checks and counts of all', () => {
    const shard = (index: number, checks: readonly string[]) => {
      const record = recordWith({ checks });
      return {
        file: `${index}.json`,
        record: { ...record, options: { ...record.options, shard: `${index}/2` } },
      };
    };
    const { causes } = mergeOf([shard(1, IDS.slice(0, 2)), shard(2, IDS.slice(1))]);
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatchObject({ checks: IDS, confirmed: { inside: [48, 48], outside: [0, 48] } });
  });
});

describe('the terminal report', () => {
  const stopped = (record: RunRecord): RunRecord => ({
    ...record,
    outcome: 'undetermined',
    stop: { kind: 'gone', reason: NASTY, remedy: 'start the store again, then repeat the run' },
    advice: NASTY,
  });
  const RECORDS: Readonly<Record<string, () => RunRecord>> = {
    'one cause': () => recordWith({ checks: IDS }),
    'three causes': () => recordWith(...many(3)),
    'forty causes': () => recordWith(...many(40)),
    'forty causes and a stop': () => stopped(recordWith(...many(40))),
    'causes with hostile texts': hostile,
    'hostile texts and a stop': () => stopped(hostile()),
    'no experiments': () => recordWith(),
  };

  test.each(Object.keys(RECORDS))('of %s has at most 40 rows at 80 columns', (name) => {
    const record = RECORDS[name]?.() ?? recordWith();
    for (const colour of [false, true]) {
      const rows = terminalReport(record, colour).trimEnd().split('\n');
      expect(heightOf(rows, 80), rows.join('\n')).toBeLessThanOrEqual(40);
    }
    const wide = terminalReport(record, false, { columns: 200 }).trimEnd().split('\n');
    expect(heightOf(wide, 200)).toBeLessThanOrEqual(40);
  });

  test('has at most three causes in full, then one line each', () => {
    const text = terminalReport(recordWith(...many(6)), false);
    expect(text.match(/^ {3}confirmed /gm)?.length).toBeGreaterThanOrEqual(1);
    expect(text.match(/^ {3}confirmed /gm)?.length).toBeLessThanOrEqual(3);
    expect(text).toMatch(/^ {3}reproduce \(bash, curl\).*: answers \d+ while the fault is there$/m);
    expect(text).toMatch(/^1\. Answers 400 when .* 0\. {2}\(2 MUST, 1 SHOULD\)$/m);
    expect(text).toMatch(/^6\. Answers 400 when .* 5\. {2}\(2 MUST, 1 SHOULD\)$/m);
    expect(text).toMatch(/confirmed 24 of 24 such requests failed, 0 of 24 others/);
  });

  test('shows at least as much on a wider terminal', () => {
    for (const count of [1, 3, 6, 9, 40]) {
      const record = recordWith(...many(count));
      const shownAt = (columns: number) => {
        const text = terminalReport(record, false, { columns });
        return (pattern: RegExp) => text.match(pattern)?.length ?? 0;
      };
      const usual = shownAt(80);
      for (const columns of [90, 120, 200])
        for (const pattern of [/^\d+\. /gm, /^ {3}\w+ /gm, /^(?:observed|covered) /gm])
          expect(shownAt(columns)(pattern), `${count} causes`).toBeGreaterThanOrEqual(usual(pattern));
    }
  });

  test('names every cause before it shows a second one in full', () => {
    const text = terminalReport(recordWith(...many(7)), false);
    expect(text.match(/^ {3}confirmed /gm)).toHaveLength(1);
    expect(text).toMatch(/^7\. /m);
  });

  test('shows as many steps of a cause as there is room for', () => {
    const record = recordWith({ checks: IDS });
    const steps = Array.from(
      { length: 12 },
      (_, index) => `curl -d ${index} ${'-H a '.repeat(40)}http://store`,
    );
    const long = { ...record, causes: [{ ...firstOf(record), steps }] };
    const rows = terminalReport(long, false).trimEnd().split('\n');
    expect(rows.length).toBeLessThanOrEqual(40);
    expect(rows.join('\n')).toMatch(/^ {5}curl -d 1 /m);
    expect(rows.join('\n')).toMatch(/^ {3}… and \d+ more commands? \(all with --verbose\)$/m);
  });

  test('always says in full what to do about a run that stopped', () => {
    const remedy = 'start the store again, and look in its log for what happened at that point';
    const stop = { kind: 'gone', reason: 'the store stopped answering '.repeat(14), remedy } as const;
    const text = terminalReport({ ...recordWith({ checks: IDS }), outcome: 'undetermined', stop }, false);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`the…; ${remedy}`);
  });

  test('fits a screen with fewer rows, with the verdict last', () => {
    const rows = terminalReport(recordWith(...many(9)), false, { rows: 21 })
      .trimEnd()
      .split('\n');
    expect(rows.length).toBeLessThanOrEqual(21);
    expect(rows.at(-1)).toMatch(/^Fix first: /);
  });

  test('with --quiet breaks lines only at the width of a terminal', () => {
    const record = recordWith({ checks: IDS, title: 'Answers 400 when '.repeat(9) });
    expect(quietReport(record, false)).toMatch(/^1\. (?:Answers 400 when ){9} \(2 MUST, 1 SHOULD\)$/m);
    for (const row of quietReport(record, false, 60).split('\n')) expect(row.length).toBeLessThanOrEqual(60);
  });

  test('names the files of the reports', () => {
    const text = terminalReport(recordWith(), false, { files: ['reports/a.json', 'reports/b.html'] });
    expect(text).toMatch(/^reports {3}reports\/a\.json, reports\/b\.html$/m);
  });

  test('has the whole titles of the other causes if there is room for them', () => {
    const title = `Answers 400 to valid requests when ${'name is longer than 40 characters and '.repeat(3)}there is a tag`;
    const record = recordWith(...many(1), {
      title,
      condition: 'last',
      level: 'SHOULD',
      checks: IDS.slice(2),
    });
    const text = (options: { readonly rows?: number }) =>
      terminalReport(record, false, options).replaceAll(/\s+/g, ' ');
    expect(text({})).toContain(`2. ${title} (1 check, SHOULD)`);
    expect(text({ rows: 21 })).toMatch(
      /2\. Answers 400 to valid requests when name is longer .+… \(SHOULD\)/,
    );
  });

  test('ends with the verdict and what to fix first', () => {
    const rows = terminalReport(recordWith({ checks: IDS }), false)
      .trimEnd()
      .split('\n');
    expect(rows.at(-1)).toBe('Fix first: Answers 400 when name contains an apostrophe.');
    expect(rows.slice(-4).join('\n')).toContain('\nNOT CONFORMANT  MUST ');
  });

  test('names a MUST before a SHOULD', () => {
    const text = terminalReport(
      recordWith(
        { title: 'A warning.', condition: 'a', level: 'SHOULD', checks: IDS.slice(2) },
        { title: 'A failure.', condition: 'b', checks: IDS.slice(0, 2) },
      ),
      false,
    );
    expect(text).toMatch(/^1\. A failure\.[\s\S]*^2\. A warning\./m);
    expect(text).toContain('Fix first: A failure.');
  });

  test('with --verbose has every cause in full and the details of every check', () => {
    const text = terminalReport(recordWith(...many(6)), false, { verbose: true });
    expect(text.match(/^ {3}confirmed /gm)).toHaveLength(6);
    for (const id of IDS) expect(text).toContain(`   ${id}  `);
  });

  test('lists a cause whose checks are all known deviations separately from those to be fixed', () => {
    const record = recordWith(
      { title: 'It is known.', condition: 'a', checks: IDS.slice(0, 1) },
      { title: 'It is new.', condition: 'b', checks: IDS },
    );
    const ciResult = ciResultOf(record, {
      file: 'baseline.yaml',
      entries: [{ id: IDS[0] ?? '', reason: 'old clients' }],
    });
    const text = terminalReport({ ...record, ciResult }, false);
    expect(text).toMatch(/^1\. It is new\./m);
    expect(text).toMatch(/^1 known deviation\n {3}It is known\.: old clients$/m);
    expect(FORMATS.markdown.render({ ...record, ciResult })).toContain('- known cause: `It is known.`');
    expect(annotations({ ...record, ciResult }).join('\n')).not.toMatch(/::error title=\S+ It is known/);
    const page = FORMATS.html.render({ ...record, ciResult });
    const failures = page.slice(page.indexOf('id="failures"'));
    expect(failures.slice(0, failures.indexOf('</section>'))).not.toContain('It is known.');
    expect(page).toContain('It is known.');
  });
});

describe('a long line', () => {
  test('is broken after words, counting the columns that characters take up', () => {
    expect(wrapped('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapped('x'.repeat(10), 4)).toEqual(['xxxx', 'xxxx', 'xx']);
    expect(wrapped('木木木木', 4)).toEqual(['木木', '木木']);
    expect(wrapped('one two three four', 8, 2)).toEqual(['one two', 'three…']);
    expect(wrapped(`one ${'x'.repeat(90)}`, 40, 1)).toEqual([`one ${'x'.repeat(35)}…`]);
    expect(wrapped('7 requests in 0.1 s', 17)).toEqual(['7 requests in', '0.1 s']);
    expect(wrapped('7 requests in 12 × 200', 17)).toEqual(['7 requests in', '12 × 200']);
    expect(widthOf('e\u0301木')).toBe(3);
  });

  test('never begins a row with a command for a CI runner', () => {
    for (let width = 4; width < 40; width += 1)
      for (const text of [NASTY, ':'.repeat(200), 'ab ::error::cd ##[x]'.repeat(9)])
        for (const row of wrapped(text, width).slice(1)) expect(row).not.toMatch(/^\s*(?:::|##)/);
  });

  test('of a shell is broken only between arguments, and stays the same command', () => {
    const line = `curl -sS -i -X POST -H "a: b $X" --data-binary '{"a b":"it'\\''s"}' $'x\\'y' http://store/plants`;
    const rows = shellRows(line, 30);
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows.slice(0, -1)) expect(row).toMatch(/ \\$/);
    expect(rows.map((row) => row.trimStart().replace(/ \\$/, '')).join(' ')).toBe(line);
    expect(shellRows(`curl 'a' "$(id) 'x" http://a`, 10)).toEqual([
      `curl 'a' \\`,
      `"$(id) 'x" \\`,
      'http://a',
    ]);
    expect(shellRows('curl a # a comment', 10)).toHaveLength(1);
  });
});

describe('a hostile cause', () => {
  const FORMAT_NAMES = ['terminal', 'html', 'junit', 'markdown'] as const;

  test.each(FORMAT_NAMES)('in %s is escaped', (format) => {
    const text = FORMATS[format].render(hostile());
    expect(text).toContain('EVIL');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Cs}/u);
    expect(text).not.toMatch(/^\s*::[a-z-]+[^\n]*::/m);
    expect(text).not.toMatch(/##(?:\[|vso\[)/i);
    if (format === 'markdown') expect(text).not.toMatch(/^\s*\//m);
  });

  test('in HTML creates no element', () => {
    const page = readPage(FORMATS.html.render(hostile()));
    expect(page.tags.filter(({ name }) => name === 'script')).toHaveLength(1);
  });

  test('is a single annotation on one line', () => {
    const lines = annotations(hostile());
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(/^::(?:error|notice) title=[^:,\r\n]*::[^\r\n]*$/);
      expect(line).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}|##\[/u);
    }
  });
});

describe('the page', () => {
  test('highlights the parts of the request that matter, and dims the others', () => {
    const page = FORMATS.html.render(recordWith({ checks: IDS }));
    const [request = ''] = page.split('class="messages"')[1]?.split('</figure>') ?? [];
    expect(request).toMatch(/<mark>&quot;name&quot;:&quot;\w+&quot;<\/mark>/);
    expect(request).toContain('<mark>Content-Type: application/json</mark>');
    expect(request).toMatch(/<span class="dim">,&quot;tag&quot;/);
    expect(request).toContain('<span class="dim">Accept: application/json</span>');
  });

  test('shows what was tried', () => {
    expect(FORMATS.html.render(recordWith({}))).toContain(
      '<li>255 characters</li><li class="fails">256 characters</li>',
    );
  });
});

test('a failed test case in JUnit begins with the title of its cause', () => {
  expect(FORMATS.junit.render(recordWith({ checks: IDS }))).toMatch(
    /<failure message="Answers 400 when name contains an apostrophe\.: Requirement: An ordinary NewPlant/,
  );
});

describe('diff', () => {
  test('says which causes are new, fixed or still there', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((condition) => ({
      title: `Answers 400 when ${condition}.`,
      condition,
      checks: IDS,
    }));
    const [before, now] = [recordWith(a ?? {}, b ?? {}), recordWith(b ?? {}, c ?? {})];
    const text = diffText(diffOf(before, now), before, now);
    expect(text).toMatch(/^1 new cause\n {3}Answers 400 when c\./m);
    expect(text).toMatch(/^1 fixed cause\n {3}Answers 400 when a\./m);
    expect(text).toMatch(/^1 cause still there\n {3}Answers 400 when b\./m);
  });

  test('distinguishes failures that another one hid from regressions', () => {
    const now = recordWith({ checks: IDS });
    const [id = ''] = IDS;
    const verdictOf = (verdict: Verdict): RunRecord => ({
      ...now,
      causes: [],
      results: now.results.map((result) =>
        result.id === id ? { ...result, verdict, problems: [] } : result,
      ),
    });
    const [passed, untestable] = [diffOf(verdictOf('pass'), now), diffOf(verdictOf('untestable'), now)];
    expect(passed.regressions.map(({ result }) => result.id)).toContain(id);
    expect(untestable.regressions.map(({ result }) => result.id)).not.toContain(id);
    expect(untestable.revealed.map(({ result }) => result.id)).toContain(id);
    expect(diffText(untestable, now, now)).toContain('1 failure hidden in the earlier run');
  });

  test('does not call a cause fixed if a run without experiments merely names it differently', () => {
    const [before, now] = [
      recordWith({ checks: IDS }),
      recordWith({ kind: 'once', condition: null, checks: IDS }),
    ];
    expect(diffOf(before, now).causes.fixed).toEqual([]);
  });

  test('does not call a cause new or fixed if only one of the runs could name it', () => {
    const [before, now] = [recordWith(), recordWith({ checks: IDS })];
    const { added, fixed, stillThere } = diffOf(before, now).causes;
    expect([added, fixed, stillThere.length]).toEqual([[], [], 1]);
  });
});

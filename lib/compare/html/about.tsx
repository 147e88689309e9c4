import { sum } from '../../collections.ts';
import { Section } from '../../report/formats/html/kit/section.tsx';
import { DocumentFact, Fact, inline, StartedFact } from '../../report/formats/html/kit/text.tsx';
import { createdText } from '../../report/wording/facts.ts';
import { counted, withSeparators } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { ran } from '../table.ts';
import { numbered, StoreLink } from './page-parts.tsx';

export function About({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { suite, document, options, startedAt, seconds, checks, differential } = comparison;
  const requests = sum(ran(comparison), (column) => column.requests);
  return (
    <Section id="compared" class="about" heading="What was compared">
      <p class="note">
        {differential === null
          ? 'Saved records of runs with the same checks and the same document. Seed and cases are those of the first record; runs with the same seed sent the same payloads.'
          : 'Every store was sent the same payloads, except for ids.'}
      </p>
      <dl class="facts">
        <DocumentFact document={document} />
        <Fact name="Generated from">
          seed {options.seed}, {counted(options.cases, 'case')} per generated check
        </Fact>
        <Fact name="Suite">
          {inline(suite.name, 80)} {inline(suite.version, 40)}, {counted(checks.length, 'check')}
          {options.thorough === true && ', thorough'}
          {options.strict && ', strict'}
        </Fact>
        <StartedFact startedAt={startedAt} seconds={seconds} />
        <Fact name="Sent">
          {withSeparators(requests)} requests for the checks
          {differential !== null &&
            ` and ${counted(differential.payloads, 'additional payload')} to each store`}
        </Fact>
      </dl>
      <h3>The stores</h3>
      <dl class="implementations">
        {numbered(comparison).map((one) => (
          <Fact name={<StoreLink {...one} />}>
            <Store column={one.column} />
          </Fact>
        ))}
      </dl>
    </Section>
  );
}

function Store({ column }: Readonly<{ column: Comparison['columns'][number] }>) {
  const { implementation } = column;
  return (
    <>
      {column.state === 'run' && (
        <>
          <p class="aside">
            <span class="code">{inline(column.target.baseUrl, 200)}</span>
            {column.target.server !== null && <>, server {inline(column.target.server, 100)}</>}
          </p>
          {column.created !== undefined && <p class="aside">{createdText(column.created)}</p>}
        </>
      )}
      {implementation !== undefined && implementation.note !== '' && (
        <p>{inline(implementation.note, 1000)}</p>
      )}
    </>
  );
}

import { documentName } from '../../report/document.ts';
import { leftBehind } from '../../report/explain.ts';
import { Fact } from '../../report/html/about.tsx';
import { counted, grouped, inline } from '../../report/html/text.tsx';
import type { Comparison } from '../comparison.ts';
import { ran } from '../table.ts';
import { placed, StoreLink } from './parts.tsx';

/** Which stores, held to which document, with what. */
export function About({ comparison }: { readonly comparison: Comparison }) {
  const { suite, document, options, startedAt, seconds, checks, differential } = comparison;
  const requests = ran(comparison).reduce((sum, column) => sum + column.requests, 0);
  return (
    <section class="about" id="compared" aria-labelledby="compared-heading">
      <h2 id="compared-heading">What was compared</h2>
      <p class="note">
        {differential === null
          ? 'Saved records of runs with the same checks and the same document. Seed and cases are those of the first; payloads are the same where the seeds are.'
          : 'Every store was sent the same payloads; only the ids are its own.'}
      </p>
      <dl class="facts">
        <Fact name="Document">
          {documentName(document, (file) => inline(file.split(/[\\/]/).at(-1) ?? '', 100))}, version{' '}
          {inline(document.version, 40)}, sha256 <span class="code">{document.sha256.slice(0, 12)}</span>
        </Fact>
        <Fact name="Drawn from">
          seed {options.seed}, {counted(options.cases, 'case')} a generated check
        </Fact>
        <Fact name="Suite">
          {inline(suite.name, 80)} {inline(suite.version, 40)}, {counted(checks.length, 'check')}
          {options.thorough === true && ', thorough'}
          {options.strict && ', strict'}
        </Fact>
        <Fact name="Began">
          <time dateTime={startedAt}>{startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>, took{' '}
          {seconds.toFixed(1)} s
        </Fact>
        <Fact name="Sent">
          {grouped(requests)} requests for the checks
          {differential !== null && ` and ${counted(differential.payloads, 'payload')} more to each store`}
        </Fact>
      </dl>
      <h3>The stores</h3>
      <dl class="portraits">
        {placed(comparison).map((one) => (
          <div key={one.number}>
            <dt>
              <StoreLink {...one} />
            </dt>
            <dd>
              <Store column={one.column} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Store({ column }: { readonly column: Comparison['columns'][number] }) {
  const { portrait } = column;
  return (
    <>
      {column.state === 'run' && (
        <p class="aside">
          <span class="code">{inline(column.target.baseUrl, 200)}</span>
          {column.target.server !== null && <>, server {inline(column.target.server, 100)}</>}
        </p>
      )}
      {column.state === 'run' && column.created !== undefined && (
        <p class="aside">{leftBehind(column.created)}</p>
      )}
      {portrait !== undefined && portrait.note !== '' && <p>{inline(portrait.note, 1000)}</p>}
    </>
  );
}

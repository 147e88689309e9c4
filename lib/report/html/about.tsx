import type { ComponentChildren } from 'preact';
import { commandOf } from '../again.ts';
import { coverageOfAll } from '../coverage.ts';
import { documentName } from '../document.ts';
import type { RunRecord } from '../record.ts';
import { Command, counted, grouped, inline } from './text.tsx';

/** What was tested, with what, and how to do it again. */
export function About({ record }: { readonly record: RunRecord }) {
  const {
    target,
    document,
    options,
    suite,
    startedAt,
    seconds,
    requests,
    waited,
    closedUnderRequests = 0,
    created,
    results,
  } = record;
  const covered = coverageOfAll(results);
  const left = results.filter(
    ({ blockedBy, verdict }) => verdict === 'skipped' && blockedBy === 'user',
  ).length;
  return (
    <section class="about" id="run" aria-labelledby="run-heading">
      <h2 id="run-heading">The run</h2>
      <dl class="facts">
        <Fact name="Target">
          {target.name !== target.baseUrl && <>{inline(target.name, 80)}, </>}
          <span class="code">{inline(target.baseUrl, 200)}</span>
        </Fact>
        <Fact name="Server">
          {target.server === null ? 'does not name itself' : inline(target.server, 100)}
        </Fact>
        <Fact name="Document">
          {documentName(document, (file) => inline(file.split(/[\\/]/).at(-1) ?? '', 100))}, version{' '}
          {inline(document.version, 40)}, sha256 <span class="code">{document.sha256.slice(0, 12)}</span>
        </Fact>
        {document.warnings !== undefined && (
          <Fact name="In the document">{document.warnings.map((one) => inline(one, 400)).join('; ')}</Fact>
        )}
        <Fact name="Began">
          <time dateTime={startedAt}>{startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>, took{' '}
          {seconds.toFixed(1)} s
        </Fact>
        <Fact name="Drawn from">
          seed {options.seed}, first id {inline(options.firstId, 40)}, {counted(options.cases, 'case')} a
          generated check{options.thorough === true && ', thorough'}
        </Fact>
        {covered !== undefined && <Fact name="Covered">{covered}</Fact>}
        <Fact name="Sent">
          {counted(requests, 'request')}, {options.concurrency} at a time
          {waited !== undefined && `; ${waited.toFixed(1)} s were waited because the store asked for it`}
          {closedUnderRequests > 0 &&
            `; ${counted(closedUnderRequests, 'connection')} closed under a request, which was sent again`}
        </Fact>
        <Fact name="Created">
          {created.plants === 0
            ? 'no plants'
            : `${counted(created.plants, 'plant')}; the JSON report lists their ids`}
        </Fact>
        <Fact name="Suite">
          {inline(suite.name, 80)} {inline(suite.version, 40)}, {counted(results.length, 'check')}
          {left > 0 && `, ${grouped(left)} of them left out`}
        </Fact>
      </dl>
      <h3>The same run again</h3>
      <Command name="The command" text={commandOf(record)} />
      <p class="note">
        With the token in <code>$PLANT_STORE_TOKEN</code>
        {left > 0 && (
          <>
            , and with the <code>--only</code> and <code>--skip</code> of this run
          </>
        )}
        . Documents, overlays and headers of your own have to be given again. A store that holds each id or
        name once needs another <code>--first-id</code>.
      </p>
    </section>
  );
}

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

import { counted, withSeparators } from '../../../text.ts';
import { TOKEN_VARIABLE } from '../../../token-variable.ts';
import type { RunRecord } from '../../record/record.ts';
import { runCommandLine } from '../../reproduce/run-command.ts';
import { coverageOfAll } from '../../wording/coverage.ts';
import { resentTexts } from '../../wording/facts.ts';
import { deselected } from '../../wording/headline.ts';
import { Section } from './kit/section.tsx';
import { Commands, DocumentFact, Fact, inline, StartedFact } from './kit/text.tsx';

export function About({ record }: Readonly<{ record: RunRecord }>) {
  const { target, document, options, suite, created, results, waited } = record;
  const skipped = deselected(record).length;
  return (
    <Section id="run" class="about" heading="The run">
      <dl class="facts">
        <Fact name="Target">
          {target.name !== target.baseUrl && <>{inline(target.name, 80)}, </>}
          <span class="code">{inline(target.baseUrl, 200)}</span>
        </Fact>
        <Fact name="Server header">{target.server === null ? 'none' : inline(target.server, 100)}</Fact>
        <DocumentFact document={document} />
        <Fact name="Document warnings">{document.warnings?.map((one) => inline(one, 400)).join('; ')}</Fact>
        <StartedFact startedAt={record.startedAt} seconds={record.seconds} />
        <Fact name="Generated from">
          seed {options.seed}, first id {inline(options.firstId, 40)}, {counted(options.cases, 'case')} per
          generated check{options.thorough === true && ', thorough'}
        </Fact>
        <Fact name="Covered">{coverageOfAll(results)}</Fact>
        <Fact name="Sent">
          {counted(record.requests, 'request')}, {options.concurrency} at a time
          {waited !== undefined && `; ${waited.toFixed(1)} s spent waiting at the store's request`}
          {resentTexts(record).map((text) => `; ${text}`)}
        </Fact>
        <Fact name="Created">
          {created.plants === 0
            ? 'no plants'
            : `${counted(created.plants, 'plant')}; the JSON report lists their ids`}
        </Fact>
        <Fact name="Suite">
          {inline(suite.name, 80)} {inline(suite.version, 40)}, {counted(results.length, 'check')}
          {skipped > 0 && `, ${withSeparators(skipped)} of them skipped by --only or --skip`}
        </Fact>
      </dl>
      <h3>Reproduce this run</h3>
      <Commands list={[runCommandLine(record)]} />
      <p class="note">
        Set <code>${target.tokenEnv ?? TOKEN_VARIABLE}</code> to the token
        {skipped > 0 && (
          <>
            {' '}
            and add the <code>--only</code> and <code>--skip</code> of this run
          </>
        )}
        . Pass your own documents, overlays and headers again. A store that requires unique ids or names needs
        another <code>--first-id</code>.
      </p>
    </Section>
  );
}

import type { RunRecord } from '../../../record/record.ts';
import { documentName } from '../../../wording/document.ts';
import { Fact, inline } from './text.tsx';

export const DocumentFact = ({ document }: Pick<RunRecord, 'document'>) => (
  <Fact name="Document">
    {documentName(document, (file) => inline(file.split(/[\\/]/).at(-1) ?? '', 100))}, version{' '}
    {inline(document.version, 40)}, sha256 <span class="code">{document.sha256.slice(0, 12)}</span>
  </Fact>
);

export const StartedFact = ({ startedAt, seconds }: Pick<RunRecord, 'startedAt' | 'seconds'>) => (
  <Fact name="Started">
    <time dateTime={startedAt}>{startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>, took{' '}
    {seconds.toFixed(1)} s
  </Fact>
);

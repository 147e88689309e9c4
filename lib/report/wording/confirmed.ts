import type { RecordedCause } from '../record/record.ts';

const of = ([failed, tried]: readonly [failed: number, tried: number]) => `${failed} of ${tried}`;

/** How a cause was confirmed, in plain words. */
export function confirmedText({
  kind,
  condition,
  confirmed: { inside, outside },
}: Pick<RecordedCause, 'kind' | 'condition' | 'confirmed'>): string {
  const otherwise = (text: string) => (outside[1] === 0 ? '' : `, ${of(outside)} ${text}`);
  switch (kind) {
    case 'always':
      return condition === null
        ? `${of(inside)} requests failed, whatever they contain${otherwise('others')}`
        : `${of(inside)} requests of this kind failed${otherwise('others')}`;
    case 'now-and-then':
      return `${of(inside)} requests failed, now and then${otherwise('others')}`;
    case 'under-concurrency':
      return `${of(inside)} failed with those requests in flight${otherwise('otherwise')}`;
    case 'sequence':
      return `${of(inside)} failed after those requests${otherwise('without them')}`;
    case 'from-then-on':
      return `${of(inside)} requests failed since then${otherwise('before')}`;
    case 'once':
      return `${of(inside)} cases failed; no experiment confirms a condition`;
  }
}

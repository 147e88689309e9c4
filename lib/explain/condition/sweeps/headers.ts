import type { Candidate, Sweep } from '../candidates.ts';

/** Values of a header that no dimension of the model is about. */
export function headerSweep(header: string, value: string): Sweep {
  const name = header.toLowerCase();
  const candidate = (other: string): Candidate => ({
    value: other === '' ? '(empty)' : other,
    words: { phrase: `with ${header}: ${other.length > 60 ? `${other.slice(0, 60)}…` : other}` },
    apply: (state) => {
      const others = (state.template.headers ?? []).filter(([own]) => own.toLowerCase() !== name);
      return { ...state, template: { ...state.template, headers: [...others, [name, other]] } };
    },
    classes: ['any'],
  });
  return {
    part: header,
    candidates: [...new Set([value, '1', 'x', 'value-7', 'true'])].map(candidate),
    classes: [{ id: 'any', words: { phrase: `with the header ${header}`, header }, group: header }],
  };
}

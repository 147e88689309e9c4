import type { Contract } from '../../contract/contract.ts';
import { exactInteger, sourceAt } from '../../contract/numeral.ts';
import { typeOfValue } from '../../contract/shape.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import type { FailedCase } from '../../run/result/result.ts';
import { bodyText } from '../../utf8.ts';
import { type Condition, modulusIn } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { type LabelledCase, labelOf } from '../explanation/labels.ts';
import { differences, modelRequestOf } from '../explanation/request-parts.ts';
import { isAboutBytes } from '../values/defects.ts';
import type { Experiments } from './experiments.ts';
import type { Search } from './search.ts';

/** Returns whether an explanation may cover a failed case: no part that it needs is ordinary. */
export function covers(explanation: Explanation, failed: LabelledCase, experiments: Experiments): boolean {
  const { kind, before, labels, conditions, feature, neutral } = explanation;
  if (kind !== 'always' || before !== undefined || modulusIn(conditions) !== undefined) return true;
  const request = modelRequestOf(failed.template, experiments.ordinary.plant);
  if (request === undefined) return true;
  const body = experiments.textOf(request);
  if (!mayBeAbout(explanation, { label: labelOf(failed), body }, experiments.contract)) return false;
  if (labels !== undefined && feature?.has(body) === false) return false;
  const { exchange } = explanation;
  if (conditions.some((one) => hasOtherType(one, body, bodyText(exchange.request.body)))) return false;
  if (neutral === undefined || !conditions.every(isOfPart)) return true;
  return hasEveryPart(request, neutral, conditions);
}

/** Whether a condition describes the value of a property that has another JSON type in this body. */
function hasOtherType({ property, part, statement }: Condition, body: string, example: string): boolean {
  if (property === undefined || part !== property || statement?.is === 'there') return false;
  const [own, described] = [body, example].map((text) =>
    typeIn(text, property)?.replace('integer', 'number'),
  );
  return own !== undefined && described !== undefined && own !== described;
}

/** Whether every part that the conditions are about differs from that of a request that passes. */
export function hasEveryPart(
  request: ModelRequest,
  passing: ModelRequest,
  conditions: readonly Condition[],
): boolean {
  const unusual = new Set(differences(request, passing).map(({ name }) => name));
  return conditions.every(({ part = '' }) => unusual.has(part));
}

/** Returns whether experiments have shown that the defect of a failed case does not matter by itself. */
export function isExcluded({ labels, triedLabels }: Explanation, failed: FailedCase): boolean {
  const label = labelOf(failed);
  return labels !== undefined && triedLabels?.includes(label) === true && !labels.includes(label);
}

/** Whether exactly one part of the request decides whether it meets the condition. */
const isOfPart = ({ part, bytesAbove, isLarger, isVague }: Condition): boolean =>
  part !== undefined && bytesAbove === undefined && isLarger === undefined && isVague === undefined;

/** If a store accepts this many JSON types for a property, it does not check the property at all. */
const MIN_TYPES_OF_UNCHECKED_PROPERTY = 4;

/** Returns whether an explanation may cover a failure whose request was not tried. */
export const mayExplain = (explanation: Explanation, { failure, contract }: Search): boolean =>
  mayBeAbout(
    explanation,
    { label: labelOf(failure), body: bodyText(failure.exchange.request.body) },
    contract,
  );

/**
 * Whether an explanation may be about a body. If it is about a property, it covers only values of the
 * JSON types that showed the symptom: a numeric string is not a large integer.
 */
function mayBeAbout(
  explanation: Explanation,
  { label, body }: { readonly label: string; readonly body: string },
  contract: Contract,
): boolean {
  if (!isOfProperty(explanation) || explanation.labels?.includes(label) === true) return true;
  if (isAboutBytes(label, contract)) return false;
  const { subject, types } = explanation;
  if (subject?.property === undefined) return true;
  const type = typeIn(body, subject.property);
  if (types === undefined)
    return type === typeIn(bodyText(explanation.exchange.request.body), subject.property);
  if (type === undefined || types.has(type)) return true;
  const property = contract.newPlant.shape.properties.get(subject.property);
  const isRight = type === 'none' || property?.types.some((allowed) => allowed === type) === true;
  return types.size >= MIN_TYPES_OF_UNCHECKED_PROPERTY && !isRight;
}

export const isOfProperty = ({ subject, conditions }: Explanation): boolean =>
  subject?.property !== undefined && conditions.length === 0;

export function isAbout({ subject, conditions }: Explanation, { failure, contract }: Search): boolean {
  const named = new Set(labelOf(failure).split(/\W+/));
  const property = [...contract.newPlant.shape.properties.keys()].find((name) => named.has(name));
  if (property === undefined) return false;
  return [subject, ...conditions].some((one) => one?.property === property || one?.part === property);
}

/** Returns the JSON type of a property in a JSON text: `integer`, `none` and so on; undefined if not JSON. */
export function typeIn(text: string, property: string): string | undefined {
  try {
    const value: unknown = new Map(Object.entries(JSON.parse(text) ?? {})).get(property);
    if (value === undefined) return 'none';
    if (typeof value !== 'number') return typeOfValue(value);
    // The numeral decides, since the double for 1e-400 is 0, an integer.
    return exactInteger(sourceAt(text, [property]) ?? '') === undefined ? 'number' : 'integer';
  } catch {
    return undefined;
  }
}

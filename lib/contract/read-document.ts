import { LineCounter, parseDocument, visit, type Document as YamlDocument } from 'yaml';
import { readText } from '../read-text.ts';
import { type Document, DocumentError, MAX_MEGABYTES } from './document.ts';

/** Reads a YAML 1.2 or JSON file. @throws DocumentError if it cannot be read, or is neither */
export function readDocument(file: string): Document {
  let text: string;
  try {
    text = readText(file, MAX_MEGABYTES);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DocumentError(
      file,
      undefined,
      code === 'ENOENT' ? 'no such file' : `cannot be read (${code === 'EFBIG' ? message : code})`,
    );
  }
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const fault = yaml.errors[0];
  if (fault !== undefined)
    throw new DocumentError(file, position(fault.pos[0]), `is not YAML: ${fault.message}`);
  const loop = loopIn(yaml);
  if (loop !== undefined)
    throw new DocumentError(file, position(loop), 'an alias refers to an anchor that contains it');
  let value: unknown;
  try {
    value = yaml.toJS();
  } catch (error) {
    throw new DocumentError(file, undefined, `is not usable YAML: ${(error as Error).message}`);
  }
  return {
    file,
    value,
    location(pointer) {
      for (let length = pointer.length; length >= 0; length -= 1) {
        const node: unknown = length === 0 ? yaml.contents : yaml.getIn(pointer.slice(0, length), true);
        const range = (node as { range?: readonly number[] } | undefined)?.range;
        if (range?.[0] !== undefined) return position(range[0]);
      }
      return undefined;
    },
  };
}

/** The offset of an alias by which a value contains itself; undefined if there is none. */
function loopIn(yaml: YamlDocument): number | undefined {
  let begin: number | undefined;
  visit(yaml, {
    Alias(_key, alias, path) {
      const anchor = alias.resolve(yaml);
      if (anchor === undefined || !path.includes(anchor)) return undefined;
      begin = alias.range?.[0];
      return visit.BREAK;
    },
  });
  return begin;
}

import { visible } from '@fd/platform';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Tags,
} from 'yaml';

export interface Problem {
  readonly severity: 'error' | 'warning';
  /** File name without its folder. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Formats a problem as `file:line: message`, which editors and terminals recognise, on one line. */
export function formatProblem({ severity, file, line, message }: Problem): string {
  return visible(`${file}:${line}: ${severity === 'warning' ? 'warning: ' : ''}${message}`);
}

/** Returns problems sorted by file and line. */
export function inReadingOrder(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

/** A path in a document: keys and indexes from the root. */
export type Path = readonly PropertyKey[];

/** A YAML file with the line of each value. */
export class YamlSource {
  private constructor(
    readonly file: string,
    /** The content as plain values. Decimals remain text ("7.40"), since binary numbers would round them. */
    readonly content: unknown,
    private readonly document: Document.Parsed,
    private readonly lines: LineCounter,
  ) {}

  /** Parses a file. Reports invalid YAML as problems. */
  static parse(file: string, text: string): YamlSource | { readonly problems: Problem[] } {
    const at = text.indexOf(NOT_UTF8);
    if (at >= 0) {
      const line = text.slice(0, at).split('\n').length;
      return {
        problems: [{ severity: 'error', file, line, message: 'is not UTF-8: save the file as UTF-8' }],
      };
    }
    const lines = new LineCounter();
    const document = parseDocument(text, {
      lineCounter: lines,
      customTags: plainNumbers,
      prettyErrors: false,
    });
    const problems = [...document.errors, ...document.warnings].map(({ pos, message }): Problem => ({
      severity: 'error',
      file,
      line: lines.linePos(pos[0]).line,
      message,
    }));
    if (problems.length > 0) return { problems };
    try {
      return new YamlSource(file, document.toJS({ maxAliasCount: 100 }), document, lines);
    } catch (error) {
      return { problems: [{ severity: 'error', file, line: 1, message: (error as Error).message }] };
    }
  }

  /** Returns the line of the value at a path, or of the innermost existing value around it. */
  lineOf(path: Path): number {
    let node: unknown = this.document.contents;
    let offset = offsetOf(node) ?? 0;
    for (const key of path) {
      const found = childOf(node, key);
      if (!found) break;
      offset = offsetOf(found.key) ?? offsetOf(found.value) ?? offset;
      node = found.value;
    }
    return this.lines.linePos(offset).line;
  }

  problem(severity: Problem['severity'], path: Path, message: string): Problem {
    return { severity, file: this.file, line: this.lineOf(path), message };
  }
}

/** Whole numbers as people write them: 0x1F, 0o17 and 010 remain text, which no field accepts as a number. */
const WHOLE = /^-?(?:0|[1-9][0-9]*)$/;

const plainNumbers = (tags: Tags): Tags =>
  tags.flatMap((tag): Tags => {
    if (typeof tag === 'string' || tag.test === undefined) return [tag];
    if (tag.tag === 'tag:yaml.org,2002:float') return [];
    if (tag.tag !== 'tag:yaml.org,2002:int') return [tag];
    // hexadecimal and octal numbers are tags with a format
    return tag.format === undefined ? [{ ...tag, test: WHOLE }] : [];
  });

/** What reading a file as UTF-8 makes of other bytes. */
const NOT_UTF8 = '\uFFFD';

function childOf(node: unknown, key: PropertyKey): { key?: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
    return pair && { key: pair.key, value: pair.value };
  }
  if (isSeq(node) && typeof key === 'number' && key in node.items) return { value: node.items[key] };
  return undefined;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

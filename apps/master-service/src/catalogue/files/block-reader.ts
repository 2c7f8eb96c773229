import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Path, Problem, YamlSource } from './yaml-source.js';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The valid fields of a block, and whether all were valid. */
interface ReadBlock<Fields> {
  readonly fields: Partial<Fields>;
  readonly complete: Fields | undefined;
}

/** Reads parts of a file and collects all problems. */
export class BlockReader {
  readonly problems: Problem[] = [];

  constructor(private readonly source: YamlSource) {}

  refuse(path: Path, message: string): void {
    this.problems.push(this.source.problem('error', path, message));
  }

  valueAt(path: Path): unknown {
    let value = this.source.content;
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Record<PropertyKey, unknown>)[key];
    }
    return value;
  }

  /** Reads the map at a path field by field, so that a bad field does not hide problems of others. */
  read<Shape extends z.ZodRawShape>(path: Path, shape: Shape): ReadBlock<z.output<z.ZodObject<Shape>>> {
    const before = this.problems.length;
    const value = this.recordAt(path);
    const fields: Record<string, unknown> = {};
    if (value) this.refuseUnknownKeys(path, Object.keys(shape));
    for (const [key, schema] of value ? Object.entries(shape) : []) {
      const result = (schema as z.ZodType).safeParse(value?.[key]);
      // a missing field must not hide the value of an outer level
      if (result.success && result.data !== undefined) fields[key] = result.data;
      if (!result.success) this.report([...path, key], value?.[key], result.error.issues);
    }
    const isComplete = this.problems.length === before;
    return { fields, complete: isComplete ? fields : undefined } as ReadBlock<z.output<z.ZodObject<Shape>>>;
  }

  listAt(path: Path): unknown[] {
    const value = this.valueAt(path);
    if (Array.isArray(value) && value.length > 0) return value as unknown[];
    const name = nameOf(path);
    this.refuse(path, value === undefined ? `${name} is missing` : `${name}: must be a list with entries`);
    return [];
  }

  recordAt(path: Path): Record<string, unknown> | undefined {
    const value = this.valueAt(path);
    if (isRecord(value)) return value;
    const name = nameOf(path);
    this.refuse(path, value === undefined ? `${name} is missing` : `${name}: must be a map`);
    return undefined;
  }

  refuseUnknownKeys(path: Path, known: readonly string[]): void {
    for (const key of Object.keys(this.recordAt(path) ?? {})) {
      if (!known.includes(key))
        this.refuse([...path, key], `unknown key ${key} (known: ${known.join(', ')})`);
    }
  }

  private report(path: Path, value: unknown, issues: readonly z.core.$ZodIssue[]): void {
    const key = String(path.at(-1));
    if (value === undefined) {
      // the only field that a person cannot invent
      const suggestion = key === 'vehicle' ? ` (a fresh one: ${randomUUID()})` : '';
      this.refuse(path, `${key} is missing${suggestion}`);
      return;
    }
    for (const issue of issues) {
      const where = [...path, ...issue.path];
      this.refuse(where, `${nameOf([key, ...issue.path])}: ${messageOf(issue)}`);
    }
  }
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown key ${issue.keys.join(', ')}`;
  return issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be a map' : issue.message;
}

/** The path of a value for its author: `rate_cards[0].rates`. */
function nameOf(path: Path): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return parts.join('').replace(/^\./, '');
}

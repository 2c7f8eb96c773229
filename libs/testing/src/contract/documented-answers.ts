import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface ApiDocument {
  readonly paths: Record<string, Record<string, unknown>>;
}

/** An answer as a test saw it. */
export interface SeenAnswer {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

const DOCUMENT_ID = 'https://document.test/openapi';

/**
 * Holds answers against an OpenAPI 3.1 document: the path, the method, the status and the shape of the body must
 * all be in it.
 */
export class DocumentedAnswers {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates: { readonly template: string; readonly pattern: RegExp }[];

  constructor(private readonly document: object) {
    // the plugin is CommonJS: what the default import is depends on who loads it
    const plugin = (addFormats as unknown as { default?: typeof addFormats.default }).default ?? addFormats;
    (plugin as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(document, DOCUMENT_ID);
    this.templates = Object.keys((document as ApiDocument).paths)
      // literal segments before parameters, as the router does
      .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, '[^/]+')}$`),
      }));
  }

  /** @throws Error saying what the document does not allow about the answer. */
  check(answer: SeenAnswer): void {
    const template = this.templates.find(({ pattern }) => pattern.test(answer.path))?.template;
    const where = `${answer.method.toUpperCase()} ${answer.path} -> ${answer.status}`;
    if (template === undefined) throw new Error(`${where}: the document has no such path`);
    const validate = this.validatorOf(template, answer.method.toLowerCase(), answer.status);
    if (!validate) throw new Error(`${where}: the document has no such answer`);
    if (!validate(answer.body)) {
      throw new Error(
        `${where}: ${this.ajv.errorsText(validate.errors)}\n${JSON.stringify(answer.body, null, 1)}`,
      );
    }
  }

  /** Whether the document allows a page in place of JSON. */
  hasPage({ method, path, status }: Omit<SeenAnswer, 'body'>): boolean {
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.template;
    const answers = ['paths', template ?? '', method.toLowerCase(), 'responses', String(status)];
    return has(this.document, [...answers, 'content', 'text/html']);
  }

  private validatorOf(template: string, method: string, status: number): ValidateFunction | undefined {
    const key = `${method} ${template} ${status}`;
    const known = this.validators.get(key);
    if (known) return known;
    const pointer = [
      'paths',
      template,
      method,
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ];
    if (!has(this.document, pointer)) return undefined;
    const encoded = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const validate = this.ajv.compile({ $ref: `${DOCUMENT_ID}#/${encoded.join('/')}` });
    this.validators.set(key, validate);
    return validate;
  }
}

function has(root: unknown, path: readonly string[]): boolean {
  let node = root;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !(key in node)) return false;
    node = (node as Record<string, unknown>)[key];
  }
  return true;
}

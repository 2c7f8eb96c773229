import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface ApiDocument {
  readonly paths: Record<string, Record<string, unknown>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, object>> };
}

/** Fields of every refusal. Clients must expect further fields, but the service may not answer undeclared ones. */
const CLOSED = ['Failure', 'ErrorItem', 'UnreadableBody'];

/** An answer in a test. */
export interface SeenAnswer {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

const DOCUMENT_ID = 'https://document.test/openapi';

/**
 * Validates answers against an OpenAPI 3.1 document, which must contain the path, the method, the status and the shape of the
 * body.
 */
export class DocumentedAnswers {
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    // the lint of docs/openapi does so; compiling the schema of schemas takes 0.1 s in each test file
    validateSchema: false,
  });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates: { readonly template: string; readonly pattern: RegExp }[];

  private readonly document: object;

  constructor(document: object) {
    this.document = closed(document as ApiDocument);
    // the plugin is CommonJS: its default import depends on the loader
    const plugin = (addFormats as unknown as { default?: typeof addFormats.default }).default ?? addFormats;
    (plugin as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(this.document, DOCUMENT_ID);
    this.templates = Object.keys((document as ApiDocument).paths)
      // literal segments before parameters, as the router does
      .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, '[^/]+')}$`),
      }));
  }

  /** @throws Error naming the parts of the answer that the document does not allow */
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
    this.checkRefusal(template, answer, where);
  }

  /** Checks the codes of a refusal, and the status in its body: the shared schema contains neither. */
  private checkRefusal(template: string, { method, status, body }: SeenAnswer, where: string): void {
    const response = at(this.document, [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(status),
    ]);
    const allowed = (response as { 'x-error-codes'?: readonly string[] })['x-error-codes'];
    if (!allowed) return;
    const { statusCode, error } = body as { statusCode: number; error: unknown };
    if (statusCode !== status) throw new Error(`${where}: the body says ${statusCode}`);
    const codes = Array.isArray(error)
      ? (error as { errorCode: string }[]).map((item) => item.errorCode)
      : [];
    const unknown = codes.filter((code) => !allowed.includes(code));
    if (unknown.length > 0) throw new Error(`${where}: undeclared error code ${unknown.join(', ')}`);
  }

  /** Whether the document allows a page instead of JSON. */
  hasPage({ method, path, status }: Omit<SeenAnswer, 'body'>): boolean {
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.template;
    const answers = ['paths', template ?? '', method.toLowerCase(), 'responses', String(status)];
    return at(this.document, [...answers, 'content', 'text/html']) !== undefined;
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
    if (at(this.document, pointer) === undefined) return undefined;
    const encoded = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const isEnvelope = at(this.document, [...pointer, 'properties', 'payload']) !== undefined;
    const validate = this.ajv.compile({
      $ref: `${DOCUMENT_ID}#/${encoded.join('/')}`,
      ...(isEnvelope ? { unevaluatedProperties: false } : {}),
    });
    this.validators.set(key, validate);
    return validate;
  }
}

function closed(document: ApiDocument): object {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => [
    name,
    CLOSED.includes(name) ? { ...schema, additionalProperties: false } : schema,
  ]);
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(schemas) as object },
  };
}

/** The value at a path below a node; undefined without one. */
const at = (root: unknown, path: readonly string[]): unknown =>
  path.reduce((node, key) => (node as Readonly<Record<string, unknown>> | undefined)?.[key], root);

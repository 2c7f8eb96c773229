import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { spoken } from '../shell/words.js';
import {
  type Body,
  type Field,
  fieldsOf,
  inputFor,
  type Schema,
  typedValue,
  valueAt,
  withValue,
} from './schema.js';

interface FormProps {
  readonly schema: Schema;
  readonly body: Body;
  readonly onChange: (body: Body) => void;
  /** Content below a field's input. */
  readonly extrasOf: (field: Field) => ComponentChildren;
  /** Names of the fields that the last answer refused. */
  readonly refused: readonly string[];
}

/** A form made from a JSON Schema. It validates nothing: the service refuses invalid values. */
export function SchemaForm({ schema, body, onChange, extrasOf, refused }: FormProps) {
  const fields = fieldsOf(schema);
  const isShown = (field: Field): boolean => field.isRequired || valueAt(body, field.path) !== undefined;
  // an emptied field keeps its position
  const [shownAtFirst] = useState(() => new Set(fields.filter(isShown).map(({ name }) => name)));
  const further = fields.filter((field) => !shownAtFirst.has(field.name));
  const refusedOf = ({ path }: Field): readonly string[] =>
    refused.filter((name) => inputFor(fields, name)?.path.join('.') === path.join('.'));
  const inputs = (some: readonly Field[]): ComponentChildren =>
    some.map((field) => <FieldInput key={field.name} {...{ field, body, onChange, extrasOf, refusedOf }} />);
  return (
    <>
      <div class="form-grid">{inputs(fields.filter(({ name }) => shownAtFirst.has(name)))}</div>
      {further.length > 0 && (
        <details class="further">
          <summary>Optional fields ({further.length})</summary>
          <div class="form-grid">{inputs(further)}</div>
        </details>
      )}
    </>
  );
}

type FieldProps = Omit<FormProps, 'schema' | 'refused'> & {
  readonly field: Field;
  /** Names by which the last answer refused an input. */
  readonly refusedOf: (field: Field) => readonly string[];
};

function FieldInput({ field, body, onChange, extrasOf, refusedOf }: FieldProps) {
  if (field.kind === 'group') {
    return (
      <fieldset class="group">
        <legend>{field.title}</legend>
        <div class="form-grid">
          {field.fields.map((inner) => (
            <FieldInput key={inner.name} {...{ field: inner, body, onChange, extrasOf, refusedOf }} />
          ))}
        </div>
      </fieldset>
    );
  }
  const refused = refusedOf(field);
  if (field.kind === 'declarations') return <Declarations {...{ field, body, onChange, refused }} />;
  if (field.kind === 'consent') return <Consent {...{ field, body, onChange, refused }} />;
  const id = idOf(field);
  const isRefused = refused.length > 0;
  return (
    <div class={`field ${field.kind === 'json' ? 'is-wide' : ''} ${isRefused ? 'is-refused' : ''}`}>
      <label for={id}>
        {field.title}
        {field.title !== field.name && <code class="field-name">{field.name}</code>}
        {!field.isRequired && <span class="optional">optional</span>}
      </label>
      <ValueInput {...{ id, field, body, onChange, refused }} />
      {isRefused && <Problem />}
      {field.description && (
        <p class="field-help" id={`${id}-help`}>
          {field.description}
        </p>
      )}
      {extrasOf(field)}
    </div>
  );
}

const idOf = ({ path }: Field): string => `field-${path.join('-')}`;

const Problem = () => <p class="field-problem">This value was refused.</p>;

/** Attributes of a refused input. "Correct X" finds it by the names in `data-refused`. */
const refusedAttributes = (names: readonly string[]) =>
  names.length > 0 ? { 'aria-invalid': true, 'data-refused': names.join(' ') } : {};

type InputProps = Omit<FieldProps, 'extrasOf' | 'refusedOf'> & { readonly refused: readonly string[] };

/** A consent, which only the user ticks. */
function Consent({ field, body, onChange, refused }: InputProps) {
  const id = idOf(field);
  return (
    <div class={`field is-wide ${refused.length > 0 ? 'is-refused' : ''}`}>
      <label class="check">
        <input
          id={id}
          type="checkbox"
          aria-describedby={`${id}-help`}
          {...refusedAttributes(refused)}
          checked={valueAt(body, field.path) === true}
          onChange={({ currentTarget }) => onChange(withValue(body, field.path, currentTarget.checked))}
        />
        <span>{field.title}</span>
        {!field.isRequired && <span class="optional">optional</span>}
      </label>
      {refused.length > 0 && <Problem />}
      <p class="field-help" id={`${id}-help`}>
        {field.description}
      </p>
    </div>
  );
}

/** Statements in the service's words; the user accepts each. */
function Declarations({ field, body, onChange, refused }: InputProps) {
  const given = (valueAt(body, field.path) as readonly Body[] | undefined) ?? [];
  const isSame = (one: Body, other: Body): boolean => one['code'] === other['code'];
  const list = field.path.join('.');
  const namesOf = (accepted: Body): readonly string[] =>
    refused.filter((name) => name === list || name === `${list}.${String(accepted['code'])}`);
  return (
    <fieldset class="group declarations">
      <legend>{field.title}</legend>
      {field.declarations.map(({ text, accepted }) => (
        <label key={text} class="check">
          <input
            type="checkbox"
            {...refusedAttributes(namesOf(accepted))}
            checked={given.some((one) => isSame(one, accepted))}
            onChange={({ currentTarget }) => {
              const others = given.filter((one) => !isSame(one, accepted));
              onChange(withValue(body, field.path, currentTarget.checked ? [...others, accepted] : others));
            }}
          />
          <span>{text}</span>
        </label>
      ))}
      {refused.length > 0 && <Problem />}
    </fieldset>
  );
}

function ValueInput(props: { readonly id: string } & InputProps) {
  const { id, field, body, onChange, refused } = props;
  const value = valueAt(body, field.path);
  const set = (changed: unknown): void => onChange(withValue(body, field.path, changed));
  const describedBy = field.description ? `${id}-help` : undefined;
  const shared = { id, 'aria-describedby': describedBy, ...refusedAttributes(refused) };
  if (field.kind === 'json')
    return <JsonInput key={id} {...{ id, refused }} describedBy={describedBy} value={value} onChange={set} />;
  const text = shownText(value);
  if (field.kind === 'choice' || field.kind === 'flag') {
    const choices = field.kind === 'flag' ? ['true', 'false'] : field.choices;
    return (
      <select
        {...shared}
        value={text}
        onChange={({ currentTarget }) => set(typedValue(field, currentTarget.value))}
      >
        {(!field.isRequired || value === undefined) && <option value="">(left out)</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {/^[A-Z0-9_]+$/.test(choice) && choice.length > 2 ? spoken(choice) : choice}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      type="text"
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => set(typedValue(field, currentTarget.value))}
    />
  );
}

/** A value as the text of a simple input. */
function shownText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface JsonInputProps {
  readonly id: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly label?: string;
  readonly rows?: number;
  readonly describedBy?: string | undefined;
  /** Names by which the last answer refused it. */
  readonly refused?: readonly string[];
}

interface JsonDraft {
  readonly text: string;
  /** The value while the text was typed. */
  readonly value: unknown;
  readonly isWrong: boolean;
}

/** A value as JSON. Malformed JSON remains in the field and changes nothing. */
export function JsonInput(props: JsonInputProps) {
  const { id, value, onChange, label, rows = 4, describedBy, refused = [] } = props;
  const [draft, setDraft] = useState<JsonDraft>();
  // as typed until the value changes elsewhere: a text that is formatted when it loses the focus moves the button that is being pressed
  const isTyped = draft !== undefined && JSON.stringify(draft.value) === JSON.stringify(value);
  const formatted = value === undefined ? '' : JSON.stringify(value, null, 2);
  const shown = isTyped ? draft.text : formatted;
  const isWrong = isTyped && draft.isWrong;
  const type = (text: string): void => {
    try {
      const typed: unknown = text.trim() === '' ? undefined : JSON.parse(text);
      setDraft({ text, value: typed, isWrong: false });
      onChange(typed);
    } catch {
      setDraft({ text, value, isWrong: true });
    }
  };
  return (
    <>
      <textarea
        id={id}
        class="json-input"
        aria-label={label}
        aria-describedby={describedBy}
        {...refusedAttributes(refused)}
        {...(isWrong && { 'aria-invalid': true })}
        rows={Math.min(24, Math.max(rows, shown.split('\n').length))}
        spellcheck={false}
        value={shown}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {isWrong && <p class="field-problem">Invalid JSON: the previous value is sent.</p>}
    </>
  );
}

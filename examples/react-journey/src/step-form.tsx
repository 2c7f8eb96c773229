import { ApiError, type ErrorItem, NoAnswerError, NotYetError } from '@fd/client';
import {
  createContext,
  type FormEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

/** Typed values by field name. */
export type Values = Readonly<Record<string, string>>;

export interface About {
  readonly field: string;
  readonly codes: readonly string[];
}

interface StepFormProps {
  readonly title: string;
  readonly submit: string;
  /** Makes the calls of the step; errors are shown. `awaits` says whom a call waits for that takes longer. */
  readonly send: (values: Values, awaits: (whom: string) => void) => Promise<void>;
  /** A second button, such as one that sends a new code; errors are shown. */
  readonly other?: { readonly label: string; readonly send: () => Promise<void> };
  /** The field that refusals with these codes are about; they name none. */
  readonly about?: About;
  /** What went wrong before the form was shown. */
  readonly failure?: unknown;
  readonly children?: ReactNode;
}

/** As `ref`: focuses an element when it appears. */
export const focus = (element: HTMLElement | null): void => element?.focus();

/** The text for a field of the form; undefined when it is valid. */
const Problems = createContext<(field: string) => string | undefined>(() => undefined);

const fieldOf = ({ field, errorCode }: ErrorItem, about?: About): string | undefined =>
  field ?? (about?.codes.includes(errorCode) ? about.field : undefined);

/** Texts of a refusal for fields that the form does not have, or for none; the others are shown beside their fields. */
function generalMessages(refusal: ApiError, form: HTMLFormElement | null, about?: About): string {
  const { items, message } = refusal;
  if (items.length === 0) return message;
  const general = items.filter((item) => !form?.elements.namedItem(fieldOf(item, about) ?? ''));
  if (general.length === 0) return 'Correct the marked fields.';
  return [...new Set(general.map(({ message: text, text: reason }) => text || reason))].join(' ');
}

/** Text above the button. Without an answer the outcome of a call is unknown; it is safe to repeat it. */
function messageOf(error: unknown, form: HTMLFormElement | null, about?: About): string {
  if (error instanceof ApiError) return generalMessages(error, form, about);
  if (error instanceof NotYetError) return 'This takes longer than usual. Try again in a few minutes.';
  if (error instanceof NoAnswerError) return 'No answer came. Check your connection and try again.';
  return 'Something went wrong. Try again, or reload the page.';
}

/** A step: a heading, fields and a button. Each reason of a refusal is shown beside its field, else above the button. */
export function StepForm({ title, submit, send, other, about, failure, children }: StepFormProps) {
  const [isSending, setSending] = useState(false);
  const [awaited, setAwaited] = useState<string>();
  const [error, setError] = useState<unknown>(failure);
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // moves the focus to the heading of a new step, for screen readers too, unless a field has it
  useEffect(() => {
    if (!form.current?.contains(document.activeElement)) heading.current?.focus();
  }, []);
  // the first refused field, else the text above the button
  useEffect(
    () => form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus(),
    [error],
  );

  const shown = async (calls: Promise<void>): Promise<void> => {
    setSending(true);
    setError(undefined);
    await calls.catch(setError).finally(() => setSending(false));
    setAwaited(undefined);
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void shown(send(Object.fromEntries(new FormData(event.currentTarget)) as Values, setAwaited));
  };

  const refusal = error instanceof ApiError ? error : undefined;
  const problemOf = (field: string) => refusal?.items.find((item) => fieldOf(item, about) === field)?.message;
  return (
    <form ref={form} onSubmit={onSubmit} aria-busy={isSending} noValidate>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Problems value={problemOf}>{children}</Problems>
      {awaited && <Waiting whom={awaited} />}
      {error !== undefined && (
        <p role="alert" tabIndex={-1}>
          {messageOf(error, form.current, about)}
          {refusal?.requestId && <small> Reference for support: {refusal.requestId}</small>}
        </p>
      )}
      <button disabled={isSending}>{isSending ? 'One moment …' : submit}</button>
      {other && (
        <button type="button" className="quiet" disabled={isSending} onClick={() => void shown(other.send())}>
          {other.label}
        </button>
      )}
    </form>
  );
}

const LONG_MS = 30_000;

/** Says whom the page waits for, and later what to do. Takes the focus from the pressed button, which is disabled. */
export function Waiting({ whom }: { readonly whom: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" ref={focus} tabIndex={-1}>
      {isLong
        ? `This takes longer than usual. You can wait here, or close the page and log in again later: ${whom} will have answered by then.`
        : `We wait for ${whom}. The page goes on by itself.`}
    </p>
  );
}

interface UnreadProps {
  readonly error: unknown;
  readonly retry: () => Promise<void>;
}

/** Says why data could not be read, with a button that reads it again. */
export function Unread({ error, retry }: UnreadProps) {
  const [isReading, setReading] = useState(false);
  const readAgain = async (): Promise<void> => {
    setReading(true);
    await retry();
    setReading(false);
  };
  return (
    <section>
      <p role="alert" ref={focus} tabIndex={-1}>
        {messageOf(error, null)}
      </p>
      <button disabled={isReading} onClick={() => void readAgain()}>
        {isReading ? 'One moment …' : 'Try again'}
      </button>
    </section>
  );
}

interface LoadedProps<Data> {
  /** The same function in every render. */
  readonly load: () => Promise<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** Reads data, and shows what depends on it. */
export function Loaded<Data>({ load, children }: LoadedProps<Data>) {
  const [data, setData] = useState<Data>();
  const [error, setError] = useState<unknown>();
  const read = useCallback(async () => {
    await load().then(setData, setError);
  }, [load]);
  useEffect(() => void read(), [read]);
  if (data !== undefined) return children(data);
  return error === undefined ? <p>One moment …</p> : <Unread error={error} retry={read} />;
}

interface FieldProps {
  /** Path in the request, as refusals name it, such as `communication_address.city`. */
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric';
  /** Gets the focus when it appears. */
  readonly autoFocus?: boolean;
  readonly hint?: string;
  /** Choices; absent for a text. */
  readonly options?: readonly { readonly key: string; readonly value: string }[] | undefined;
}

/** Attributes of an input and the problem below it, from the refusal of the form. */
function useProblem(name: string) {
  const id = useId();
  const problem = useContext(Problems)(name);
  const props = {
    id,
    name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
  const shown = (
    <span id={`${id}-problem`} className="problem">
      {problem}
    </span>
  );
  return { id, props, shown };
}

export function Field({ name, label, hint, options, ...input }: FieldProps) {
  const { id, props, shown } = useProblem(name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select {...props} defaultValue="">
          <option value="">Choose</option>
          {options.map(({ key, value }) => (
            <option key={key} value={key}>
              {value}
            </option>
          ))}
        </select>
      ) : (
        <input {...props} {...input} />
      )}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {shown}
    </div>
  );
}

export function Check({ name, label }: Pick<FieldProps, 'name' | 'label'>) {
  const { id, props, shown } = useProblem(name);
  return (
    <div className="field">
      <label className="check" htmlFor={id}>
        <input type="checkbox" {...props} /> {label}
      </label>
      {shown}
    </div>
  );
}

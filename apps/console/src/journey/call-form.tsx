import { newIdempotencyKey } from '@fd/client';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type Exchange, isGood } from '../calls/exchange.js';
import { JsonInput, SchemaForm } from '../forms/schema-form.js';
import { agreedAsIn, type Body, type Field, valueAt, withValue } from '../forms/schema.js';
import { newestCode } from '../inbox/newest-code.js';
import { CopyButton } from '../shell/copy-button.js';
import type { MagicValue } from '../shell/sandbox-api.js';
import type { Call } from './journey.js';
import { inputOf, provocationsOf, provokingValue } from './magic.js';
import { codeAddress } from './prefill.js';
import { isSendOfCode, refusedFieldsOf } from './recovery.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface FormProps {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  readonly magicValues: readonly MagicValue[];
  readonly call: Call;
}

/** The search for a code in the inbox. */
interface CodeSearch {
  readonly isLooking: boolean;
  /** The address that got no code. */
  readonly missingAt: string | undefined;
  readonly look: (address: string) => Promise<void>;
}

function useCodeSearch(onCode: (code: string) => void): CodeSearch {
  const [isLooking, setIsLooking] = useState(false);
  const [missingAt, setMissingAt] = useState<string>();
  const look = async (address: string): Promise<void> => {
    setIsLooking(true);
    const code = await newestCode(address);
    setIsLooking(false);
    setMissingAt(code === undefined ? address : undefined);
    if (code !== undefined) onCode(code);
  };
  return { isLooking, missingAt, look };
}

/** The body of the form: refilled when its sources change, without its code once a new one is sent, otherwise as typed. */
function useDraft(client: JourneyClient, call: Call, outcome: Exchange | undefined) {
  const [draft, setDraft] = useState(() => client.bodyOf(call));
  const isThere = call.schema !== undefined && client.state.person !== undefined;
  useEffect(() => setDraft(client.bodyOf(call)), [isThere]);
  // before the panel looks for an empty field of a code
  useLayoutEffect(() => {
    if (!outcome || !isGood(outcome) || !isSendOfCode(outcome)) return;
    setDraft((body) => (body && 'otp' in body ? withValue(body, ['otp'], '') : body));
  }, [outcome]);
  const codes = useCodeSearch((code) => setDraft((body) => withValue(body ?? {}, ['otp'], code)));
  /** Restores values that succeed, with the newest code, and gives no consent: what the user has ticked stays so. */
  const refill = (): void => {
    const body = client.bodyOf(call);
    setDraft(body && agreedAsIn(call.schema, body, draft ?? {}));
    const address = client.person && codeAddress(call, body, client.person);
    if (address !== undefined) void codes.look(address);
  };
  return { draft, setDraft, codes, refill };
}

const CallLine = ({ call }: { readonly call: Call }) => (
  <p class="call-line">
    <span class="chip method">{call.method}</span>
    <code>{call.path}</code>
  </p>
);

/** A call: its body, as fields or as JSON, and the button that sends it. */
export function CallForm({ client, state, magicValues, call }: FormProps) {
  const { draft, setDraft, codes, refill } = useDraft(client, call, state.outcome);
  const [isJson, setIsJson] = useState(false);
  const [key, setKey] = useState(newIdempotencyKey);
  const isAsked = call.method === 'GET' || state.document !== undefined;
  const isIdle = !state.isBusy && !state.isRunning && isAsked;
  const sendIt = (event: Event): void => {
    event.preventDefault();
    void client.perform(call, draft, key);
    setKey(newIdempotencyKey());
  };
  const extrasOf = (field: Field) => (
    <FieldExtras
      {...{ client, state, magicValues, call, field, draft, codes }}
      onValue={(value) => setDraft(withValue(draft ?? {}, field.path, value))}
    />
  );
  return (
    <form onSubmit={sendIt} aria-label={call.title} noValidate>
      <CallLine call={call} />
      {call.schema && draft && !isJson && (
        <SchemaForm
          schema={call.schema}
          body={draft}
          onChange={setDraft}
          extrasOf={extrasOf}
          refused={state.failure ? refusedFieldsOf(state.failure) : []}
        />
      )}
      {call.schema && isJson && (
        <JsonInput
          id="body"
          label="Body as JSON"
          rows={8}
          value={draft}
          onChange={(body) => setDraft(body as Body)}
        />
      )}
      {!call.schema && <NoBody isAsked={isAsked} />}
      {call.method === 'POST' && <KeyLine value={key} onInput={setKey} />}
      <div class="actions">
        <button type="submit" disabled={!isIdle || !state.person}>
          Send
        </button>
        {call.schema && (
          <button type="button" class="quiet" onClick={refill}>
            Refill
          </button>
        )}
        {call.schema && (
          <button type="button" class="quiet" aria-pressed={isJson} onClick={() => setIsJson(!isJson)}>
            {isJson ? 'As a form' : 'As JSON'}
          </button>
        )}
      </div>
    </form>
  );
}

const NoBody = ({ isAsked }: { readonly isAsked: boolean }) => (
  <p class="hint">{isAsked ? 'This call takes no body.' : 'Loading the schema of this call …'}</p>
);

/** The Idempotency-Key of the next call. */
function KeyLine({ value, onInput }: { readonly value: string; readonly onInput: (key: string) => void }) {
  return (
    <div class="key-line">
      <label for="idempotency-key">Idempotency-Key</label>
      <input
        id="idempotency-key"
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <CopyButton text={value} label="Copy the Idempotency-Key">
        Copy
      </CopyButton>
    </div>
  );
}

interface ExtrasProps extends FormProps {
  readonly field: Field;
  readonly draft: Body | undefined;
  readonly codes: CodeSearch;
  readonly onValue: (value: string) => void;
}

/** Shows below a field a button that copies its code from the inbox, or the values that provoke failures. */
function FieldExtras({ client, state, magicValues, call, field, draft, codes, onValue }: ExtrasProps) {
  if (call.step === 'NOMINEE' || !state.person) return null;
  const { person } = state;
  const provocations = provocationsOf(field.name, magicValues);
  if (field.name === 'otp') {
    const address = codeAddress(call, draft, client.person ?? person);
    return address === undefined ? null : <CodeButton address={address} codes={codes} />;
  }
  if (provocations.length === 0) return null;
  const id = `provoke-${field.name}`;
  const input = inputOf(field.name);
  const value = draft && valueAt(draft, field.path);
  const shown = provocations.find((row) => provokingValue(row, person) === value);
  return (
    <div class="provoke">
      <label for={id}>Provoke</label>
      <select
        id={id}
        value={shown?.value ?? ''}
        onChange={({ currentTarget }) => {
          const row = provocations.find(({ value }) => value === currentTarget.value);
          onValue(row ? provokingValue(row, person) : input ? person[input] : '');
        }}
      >
        <option value="">no failure</option>
        {provocations.map(({ value, effect }) => (
          <option key={value} value={value}>
            {value}: {effect}
          </option>
        ))}
      </select>
    </div>
  );
}

function CodeButton({ address, codes }: { readonly address: string; readonly codes: CodeSearch }) {
  const { isLooking, missingAt, look } = codes;
  return (
    <div class="provoke">
      {/* a disabled button would lose the focus */}
      <button
        type="button"
        class="quiet small"
        aria-disabled={isLooking}
        onClick={() => (isLooking ? undefined : void look(address))}
      >
        {isLooking ? 'Looking …' : 'Take it from the inbox'}
      </button>
      {missingAt === address && <span class="field-problem">No code has reached {address}.</span>}
    </div>
  );
}

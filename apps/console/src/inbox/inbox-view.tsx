import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { sandboxClock } from '../clock/sandbox-clock.js';
import { announce } from '../shell/announcer.js';
import { CopyButton } from '../shell/copy-button.js';
import { Empty, Liveness, TextField, ViewHead } from '../shell/parts.js';
import { type Message, sandbox } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { rememberParams } from '../shell/use-route.js';
import { ago, readableAddress } from '../shell/words.js';
import { arrivalText, isWholeAddress, messagesTo } from './messages.js';

const POLL_MS = 1_000;

async function load(search: string, signal: AbortSignal): Promise<readonly Message[]> {
  const text = search.trim();
  if (isWholeAddress(text)) return sandbox.messages(text, signal);
  return messagesTo(await sandbox.messages('', signal), text);
}

/** Ids of the messages that arrived since the view was opened; announces them. */
function useArrivals(messages: readonly Message[] | undefined, search: string): ReadonlySet<string> {
  const seen = useRef<{ search: string; ids: ReadonlySet<string> } | undefined>(undefined);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (!messages) return;
    const before = seen.current;
    seen.current = { search, ids: new Set(messages.map(({ id }) => id)) };
    // results of a search are not new
    if (before?.search !== search) return;
    const arrived = messages.filter(({ id }) => !before.ids.has(id));
    if (arrived.length === 0) return;
    announce(arrivalText(arrived, readableAddress));
    setFresh(new Set(arrived.map(({ id }) => id)));
  }, [messages, search]);
  return fresh;
}

/** All sent messages. */
export function InboxView({ to }: { readonly to: string }) {
  const search = to;
  const ask = useCallback(
    async (signal: AbortSignal) => ({ search, messages: await load(search, signal) }),
    [search],
  );
  const { data, problem, refresh } = usePolled(ask, POLL_MS);
  const fresh = useArrivals(data?.messages, data?.search ?? '');
  const look = (text: string): void => {
    rememberParams('inbox', { to: text });
  };
  const clear = (): void => void sandbox.clearMessages().then(refresh, refresh);
  return (
    <>
      <ViewHead title="Inbox" lead="All SMS and mails, newest first.">
        <Liveness problem={problem} isLoading={!data} />
        <button type="button" class="quiet" onClick={clear}>
          Clear all
        </button>
      </ViewHead>
      <div class="column">
        <TextField
          id="inbox-search"
          isSearch
          label="Search by phone or email"
          placeholder="For example 919999900001"
          value={search}
          onInput={look}
        />
        {data && <MessageList messages={data.messages} fresh={fresh} search={search.trim()} />}
      </div>
    </>
  );
}

function MessageList(props: {
  readonly messages: readonly Message[];
  readonly fresh: ReadonlySet<string>;
  readonly search: string;
}) {
  if (props.messages.length === 0 && props.search !== '')
    return <Empty title="Nothing for this search">No stored message has this phone or email.</Empty>;
  if (props.messages.length === 0)
    return <Empty title="No messages yet">Codes arrive here as soon as users-service sends them.</Empty>;
  return (
    <ol class="cards" aria-label="Messages, newest first">
      {props.messages.map((message) => (
        <MessageCard key={message.id} message={message} isNew={props.fresh.has(message.id)} />
      ))}
    </ol>
  );
}

/** Untrusted content: rendered as text only. */
function MessageCard({ message, isNew }: { readonly message: Message; readonly isNew: boolean }) {
  const { to, channel, text, code, sent_at: sentAt } = message;
  const date = new Date(sentAt);
  return (
    <li class={`card message ${isNew ? 'is-new' : ''}`}>
      <div class="card-head">
        <span class="to">{readableAddress(to)}</span>
        <span class="chip">{channel === 'sms' ? 'SMS' : 'Email'}</span>
        <time dateTime={sentAt} title={date.toLocaleString()}>
          {ago(date, sandboxClock.now())}
        </time>
      </div>
      {code !== null && (
        <CopyButton text={code} className="code">
          <span class="code-digits">{code}</span> <span class="code-hint">Copy</span>
        </CopyButton>
      )}
      <p class="message-text">{text}</p>
    </li>
  );
}

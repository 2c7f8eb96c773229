import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../shell/announcer.js';
import { Empty, Liveness, TextField, ViewHead } from '../shell/parts.js';
import { type DeliveryTry, sandbox, type Settings } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { hashOf } from '../shell/routing.js';
import { rememberParams } from '../shell/use-route.js';
import { BackendEventsPanel } from './backend-events.js';
import { DeliveryList } from './delivery-list.js';
import { arrivalText, isPaused, matching } from './events.js';
import { ReceiverControl } from './receiver-control.js';
import { ResumeCommand } from './resume-command.js';

const POLL_MS = 1_000;

/** What the backend of the sample partner learns: deliveries as they arrive, and the events as it reads them. */
export function EventsView({
  settings,
  params,
}: {
  readonly settings: Settings;
  readonly params: Readonly<Record<string, string>>;
}) {
  const { data, problem, refresh } = usePolled(sandbox.deliveries, POLL_MS);
  useArrivals(data?.tries);
  return (
    <>
      <ViewHead
        title="Events"
        lead={
          <>
            What the backend of <code>{settings.partner_url}</code> learns. The sandbox plays this backend: it
            gets each outcome at its address, and checks the signature.
          </>
        }
      >
        <Liveness problem={problem} isLoading={!data} />
      </ViewHead>
      {data && !data.is_subscribed && <NotSubscribed />}
      {data?.is_subscribed && (
        <>
          <ReceiverControl behaviour={data.behaviour} onChange={refresh} />
          {isPaused(data.tries) && <Paused partnerUrl={settings.partner_url} />}
        </>
      )}
      {data && (data.is_subscribed || data.tries.length > 0) && (
        <div class="events">
          <DeliveriesPanel tries={data.tries} search={params['q'] ?? ''} />
          {data.is_subscribed && (
            <BackendEventsPanel partnerUrl={settings.partner_url} isPaused={isPaused(data.tries)} />
          )}
        </div>
      )}
    </>
  );
}

/** Makes a screen reader say what arrived since the view was opened. */
function useArrivals(tries: readonly DeliveryTry[] | undefined): void {
  const newest = useRef<{ readonly id: string | undefined } | undefined>(undefined);
  useEffect(() => {
    if (!tries) return;
    const text = newest.current ? arrivalText(tries, newest.current.id) : '';
    newest.current = { id: tries[0]?.id };
    if (text) announce(text);
  }, [tries]);
}

function NotSubscribed() {
  return (
    <Empty title="The sample partner gets no events">
      <code>npm start</code> subscribes it, and gives the sandbox the secret and the key. In the containers of{' '}
      <code>docker/compose.yaml</code> events are off.
    </Empty>
  );
}

function Paused({ partnerUrl }: { readonly partnerUrl: string }) {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">The deliveries are paused</p>
      <p>
        The backend answered 410, so users-service sends nothing more. Choose Accept, then resume in a
        terminal:
      </p>
      <ResumeCommand partnerUrl={partnerUrl} />
    </div>
  );
}

function DeliveriesPanel({
  tries,
  search,
}: {
  readonly tries: readonly DeliveryTry[];
  readonly search: string;
}) {
  const shown = matching(tries, search);
  return (
    <section class="panel" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <TextField
        id="events-search"
        isSearch
        label="Search"
        placeholder="For example: bank.registered 500"
        value={search}
        onInput={(q) => rememberParams('events', { q })}
      />
      {shown.length > 0 && <DeliveryList tries={shown} />}
      {shown.length === 0 && (
        <Empty title="No deliveries">
          {tries.length > 0 ? (
            'No delivery matches this search.'
          ) : (
            <>
              Complete a step of the <a href={hashOf('journey')}>journey</a>: its outcome arrives here within
              seconds.
            </>
          )}
        </Empty>
      )}
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sandboxClock } from './clock/sandbox-clock.js';
import { EffectsView } from './effects/effects-view.js';
import { EventsView } from './events/events-view.js';
import { HealthView } from './health/health-view.js';
import { InboxView } from './inbox/inbox-view.js';
import { JourneyView } from './journey/journey-view.js';
import { JourneyClient } from './journey/journey-client.js';
import { MagicView } from './magic/magic-view.js';
import { QuotesView } from './quotes/quotes-view.js';
import { Announcements } from './shell/announcer.js';
import { ViewHead } from './shell/parts.js';
import { hashOf, type Route, type View, VIEWS } from './shell/routing.js';
import { type MagicValue, sandbox, type Settings } from './shell/sandbox-api.js';
import { useNarrow } from './shell/use-narrow.js';
import { useRoute } from './shell/use-route.js';
import { WaitingView } from './waiting/waiting-view.js';
import { WireView } from './wire/wire-view.js';

const TITLES: Readonly<Record<View, string>> = {
  journey: 'Journey',
  inbox: 'Inbox',
  quotes: 'Quotes',
  waiting: 'Waiting',
  magic: 'Magic values',
  effects: 'Effects',
  wire: 'Wire',
  events: 'Events',
  health: 'Health',
};

/** Data for all views, loaded once. */
interface AppData {
  readonly settings: Settings;
  readonly magicValues: readonly MagicValue[];
  /** Kept for the lifetime of the page, so that switching views does not reset the journey. */
  readonly client: JourneyClient;
}

async function loadData(): Promise<AppData> {
  const [settings, magicValues] = await Promise.all([
    sandbox.settings(),
    sandbox.magicValues(),
    sandboxClock.read(),
  ]);
  return { settings, magicValues, client: new JourneyClient(settings, magicValues) };
}

export function App() {
  const route = useRoute();
  const [data, setData] = useState<AppData>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    loadData().then(setData, (error: Error) => setProblem(error.message));
  }, []);
  useEffect(() => {
    document.title = `${route.view ? TITLES[route.view] : 'No such page'} · Sandbox`;
  }, [route.view]);
  const isNarrow = useNarrow();
  // on a phone the first screen belongs to the view
  const documentation = <Documentation settings={data?.settings} />;
  return (
    <>
      <Header route={route}>{!isNarrow && documentation}</Header>
      <main id="content" tabIndex={-1}>
        {data && <CurrentView route={route} {...data} />}
        {problem && <p class="notice bad">{problem}. Is it running? Reload the page once it is.</p>}
      </main>
      <footer>
        {isNarrow && documentation}
        For development and demonstrations only. The data stays on this machine: the sandbox forgets its part
        when it stops, this tab its part, tokens too, when you close it.
      </footer>
      <Announcements />
    </>
  );
}

function toContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Header({ route, children }: { readonly route: Route; readonly children: ComponentChildren }) {
  const { view, params } = route;
  return (
    <header class="top">
      <a class="skip" href={view ? hashOf(view, params) : '#/'} onClick={toContent}>
        Skip to the content
      </a>
      <a class="brand" href={hashOf('journey')}>
        <img src="/assets/icon.svg" alt="" width="32" height="32" />
        <span>
          Sandbox <small>fixed-deposit onboarding</small>
        </span>
      </a>
      <nav class="views" aria-label="Views">
        {VIEWS.map((one) => (
          <a key={one} href={hashOf(one)} aria-current={one === view ? 'page' : undefined}>
            {TITLES[one]}
          </a>
        ))}
      </nav>
      {children}
    </header>
  );
}

function Documentation({ settings }: { readonly settings: Settings | undefined }) {
  return (
    <nav class="docs" aria-label="Documentation">
      <a href="/guide/">guide</a>
      {settings && <a href={`${settings.users_base_url}/docs`}>users API</a>}
      {settings && <a href={`${settings.master_base_url}/docs`}>master API</a>}
      <a href="/docs">sandbox API</a>
    </nav>
  );
}

function CurrentView({ route, settings, magicValues, client }: AppData & { readonly route: Route }) {
  switch (route.view) {
    case undefined:
      return <NoSuchPage />;
    case 'journey':
      return (
        <JourneyView client={client} settings={settings} magicValues={magicValues} params={route.params} />
      );
    case 'inbox':
      return <InboxView to={route.params['to'] ?? ''} />;
    case 'quotes':
      return <QuotesView client={client} settings={settings} params={route.params} />;
    case 'waiting':
      return <WaitingView />;
    case 'magic':
      return <MagicView magicValues={magicValues} search={route.params['q'] ?? ''} />;
    case 'effects':
      return <EffectsView params={route.params} />;
    case 'wire':
      return <WireView params={route.params} />;
    case 'events':
      return <EventsView settings={settings} params={route.params} />;
    case 'health':
      return <HealthView settings={settings} />;
  }
}

function NoSuchPage() {
  return (
    <>
      <ViewHead title="No such page" lead="The console has no page at this address." />
      <p>
        <a class="button" href={hashOf('journey')}>
          Go to the journey
        </a>
      </p>
    </>
  );
}

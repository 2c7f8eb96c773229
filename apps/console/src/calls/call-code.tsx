import { CopyButton } from '../shell/copy-button.js';
import { Store, useStore } from '../shell/store.js';
import { clientCodeOf, type ClientService } from './client-code.js';
import { curlOf, fetchOf } from './curl.js';
import type { Outgoing } from './exchange.js';
import { shownBody, shownHeaders } from './secrets.js';

const LANGUAGES = ['curl', 'fetch', 'client'] as const;
type Language = (typeof LANGUAGES)[number];

class Choice extends Store<{ readonly language: Language }> {
  choose(language: Language): void {
    this.set({ language });
  }
}

/** One choice for all calls of the page. */
const choice = new Choice({ language: 'curl' });

function codeOf(language: Language, request: Outgoing, service: ClientService): string {
  if (language === 'curl') return curlOf(request);
  return language === 'fetch' ? fetchOf(request) : clientCodeOf(request, service);
}

/** A call as code in one of three languages. Tokens are cut short where they are shown, and copied in full. */
export function CallCode(props: {
  readonly request: Outgoing;
  readonly service: ClientService;
  readonly title: string;
}) {
  const { request, service, title } = props;
  const { language } = useStore(choice);
  const shown = { ...request, headers: shownHeaders(request.headers), body: shownBody(request.body) };
  return (
    <section class="call-code">
      <div class="part-head">
        <div class="tabs" role="group" aria-label={`Language: ${title}`}>
          {LANGUAGES.map((one) => (
            <button
              key={one}
              type="button"
              class="tab"
              aria-pressed={one === language}
              onClick={() => choice.choose(one)}
            >
              {one}
            </button>
          ))}
        </div>
        <CopyButton text={codeOf(language, request, service)} label={`Copy ${language}: ${title}`}>
          Copy
        </CopyButton>
      </div>
      <pre class="json" tabIndex={0} role="region" aria-label={`As ${language}: ${title}`}>
        {codeOf(language, shown, service)}
      </pre>
    </section>
  );
}

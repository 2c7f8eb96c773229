// eKYC requests and locker sessions that wait for somebody. What strangers wrote only ever enters the page as text.

const POLL_MS = 2_000;
const ANSWER_LIMIT_MS = 5_000;

const byId = (id) => document.getElementById(id);
const list = byId('waiting-list');
const rows = new Map();

const EKYC_OUTCOMES = { verified: 'Verified', failed: 'Failed', expired: 'Expired' };
const LOCKER_OUTCOMES = {
  allow: 'Allow',
  deny: 'Deny',
  no_aadhaar: 'No Aadhaar',
  another_person: 'Another person',
  expired: 'Expired',
};

const fromEkyc = ({ ekyc_request_id: id, issuer_code: issuer, method, state, url, expires_at: until }) => ({
  ...{ key: `ekyc ${id}`, kind: 'eKYC', title: `${issuer}, ${method}`, detail: id, state, url, until },
  ...{ path: `/api/ekyc/${encodeURIComponent(id)}/outcome`, outcomes: EKYC_OUTCOMES },
});

const fromLocker = ({ session_id: id, reference, url, expires_at: until }) => ({
  ...{
    key: `locker ${id}`,
    kind: 'Locker',
    title: 'Document locker',
    detail: reference,
    state: '',
    url,
    until,
  },
  ...{ path: `/api/locker/${encodeURIComponent(id)}/outcome`, outcomes: LOCKER_OUTCOMES },
});

async function read(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

async function end({ path, title }, outcome, label) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome }),
  }).catch(() => undefined);
  const result = response?.ok ? label : 'could not be ended';
  byId('waiting-announcement').textContent = `${title}: ${result}`;
  await refresh();
  // the button that was pressed is gone: stay in the list
  byId('waiting').focus();
}

function rowOf(item) {
  const row = byId('waiting-item').content.firstElementChild.cloneNode(true);
  const part = (selector) => row.querySelector(selector);
  part('.channel').textContent = item.kind;
  part('.to').textContent = item.title;
  part('.detail').textContent = item.detail;
  part('a').href = item.url;
  part('a').setAttribute('aria-label', `Open the page of ${item.title}`);
  for (const [outcome, label] of Object.entries(item.outcomes)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet';
    button.textContent = label;
    button.setAttribute('aria-label', `${label}: ${item.title}`);
    button.addEventListener('click', () => end(item, outcome, label));
    part('.outcomes').append(button);
  }
  return row;
}

function stateText({ state, until }) {
  const minutes = Math.max(1, Math.ceil((new Date(until).getTime() - Date.now()) / 60_000));
  return [state, `${minutes} min left`].filter(Boolean).join(', ');
}

function show(items) {
  const keys = new Set(items.map(({ key }) => key));
  for (const [key, row] of rows) {
    if (keys.has(key)) continue;
    row.remove();
    rows.delete(key);
  }
  items.forEach((item, index) => {
    // rows stay the same elements, so that whoever is on one of their buttons stays there
    const row = rows.get(item.key) ?? rowOf(item);
    rows.set(item.key, row);
    row.querySelector('.state').textContent = stateText(item);
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
  byId('waiting-empty').hidden = items.length > 0;
}

async function refresh() {
  try {
    const [{ requests }, { sessions }] = await Promise.all([read('/api/ekyc'), read('/api/locker')]);
    const items = [...requests.map(fromEkyc), ...sessions.map(fromLocker)];
    show(items.sort((a, b) => b.until.localeCompare(a.until)));
  } catch {
    // the inbox says that the sandbox does not answer
  }
}

async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, POLL_MS);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
void poll();

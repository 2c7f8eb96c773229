// What is shown here was written by strangers: it only ever enters the page as text, never as HTML.

const POLL_MS = 2_000;
const ANSWER_LIMIT_MS = 5_000;

const byId = (id) => document.getElementById(id);
const list = byId('messages');
const input = byId('to');
const rows = new Map();

let isFirst = true;
let latest;

/** An address in full is asked for; part of one is looked for among the newest messages. */
function isWhole(text) {
  return text.includes('@') || text.replace(/\D/g, '').length >= 10;
}

const plain = (text) => text.toLowerCase().replace(/[\s+()-]/g, '');

/** 919999900001 as +91 99999 00001. */
function readable(address) {
  return /^91\d{10}$/.test(address) ? `+91 ${address.slice(2, 7)} ${address.slice(7)}` : address;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ago(date) {
  const seconds = Math.round((Date.now() - date.getTime()) / 1_000);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return relative.format(-seconds, 'second');
  if (seconds < 3_600) return relative.format(-Math.floor(seconds / 60), 'minute');
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3_600), 'hour');
  return date.toLocaleDateString();
}

/** The clipboard is closed to pages that came over plain http from another machine: select the text instead. */
async function copy(text, button, source) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    byId('announcement').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = label), 1_500);
}

function rowOf({ to, channel, text, code, sent_at: sentAt }) {
  const row = byId('message').content.firstElementChild.cloneNode(true);
  const part = (selector) => row.querySelector(selector);
  part('.to').textContent = readable(to);
  part('.channel').textContent = channel.toUpperCase();
  part('.text').textContent = text;
  const time = part('time');
  time.dateTime = sentAt;
  time.title = new Date(sentAt).toLocaleString();
  if (code === null) {
    part('.code-line').remove();
    return row;
  }
  const shown = part('.code');
  shown.textContent = code;
  const button = part('.copy-code');
  button.setAttribute('aria-label', `Copy code ${code}`);
  button.addEventListener('click', () => copy(code, button, shown));
  return row;
}

function announce(fresh) {
  const [{ to, code }] = fresh;
  const what = fresh.length === 1 ? `New message to ${readable(to)}` : `${fresh.length} new messages`;
  byId('announcement').textContent = code ? `${what}, code ${[...code].join(' ')}` : what;
}

/** Adds what is new and removes what is gone; rows that stay keep their focus and selection. */
function show(messages) {
  const ids = new Set(messages.map(({ id }) => id));
  for (const [id, row] of rows) {
    if (ids.has(id)) continue;
    row.remove();
    rows.delete(id);
  }
  const fresh = messages.filter(({ id }) => !rows.has(id));
  messages.forEach((message, index) => {
    let row = rows.get(message.id);
    if (!row) {
      row = rowOf(message);
      row.classList.toggle('is-new', !isFirst);
      rows.set(message.id, row);
    }
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
  for (const time of list.querySelectorAll('time')) time.textContent = ago(new Date(time.dateTime));
  if (fresh.length > 0 && !isFirst) announce(fresh);
  showEmpty(messages.length === 0);
  isFirst = false;
}

function showEmpty(isEmpty) {
  const search = input.value.trim();
  byId('empty').hidden = !isEmpty;
  byId('empty-title').textContent = search ? 'Nothing for this search' : 'No messages yet';
  byId('empty-text').textContent = search
    ? 'No kept message went to this phone or email.'
    : 'Codes arrive here as soon as users-service sends them.';
}

function showState(state, text) {
  byId('live').dataset.state = state;
  // written only when it changes
  if (byId('live-text').textContent !== text) byId('live-text').textContent = text;
}

async function load(search, signal) {
  const query = isWhole(search) ? `?${new URLSearchParams({ to: search })}` : '';
  const response = await fetch(`/api/messages${query}`, { signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { messages } = await response.json();
  return query ? messages : messages.filter(({ to }) => plain(to).includes(plain(search)));
}

async function refresh() {
  latest?.abort();
  const current = (latest = new AbortController());
  try {
    const messages = await load(
      input.value.trim(),
      AbortSignal.any([current.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    );
    if (current.signal.aborted) return;
    show(messages);
    showState('on', 'Live');
  } catch {
    if (!current.signal.aborted) showState('off', 'The sandbox does not answer. Trying again.');
  }
}

async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, POLL_MS);
}

function search() {
  const text = input.value.trim();
  history.replaceState(null, '', text ? `?${new URLSearchParams({ to: text })}` : location.pathname);
  // what a search brings up is not new
  isFirst = true;
  void refresh();
}

function addCopyButton(source) {
  const text = source.textContent.trim();
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${text}`);
  button.addEventListener('click', () => copy(text, button, source));
  const box = document.createElement('div');
  box.className = 'copy-box';
  source.replaceWith(box);
  box.append(source, button);
}

for (const source of document.querySelectorAll('pre.copyable')) addCopyButton(source);
input.value = new URLSearchParams(location.search).get('to') ?? '';
input.addEventListener('input', search);
byId('search').addEventListener('submit', (event) => event.preventDefault());
byId('clear').addEventListener('click', async () => {
  await fetch('/api/messages', { method: 'DELETE' }).catch(() => undefined);
  await refresh();
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
void poll();

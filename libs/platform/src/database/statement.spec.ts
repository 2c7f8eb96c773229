import { statement } from './statement.js';

describe('a statement', () => {
  it('numbers its parameters by their first use, and leaves casts alone', () => {
    const { text } = statement(
      { id: 'uuid', state: 'text?' },
      'UPDATE calls SET state = :state::text WHERE id = :id AND state <> :state',
    );
    expect(text).toBe('UPDATE calls SET state = $1::text WHERE id = $2 AND state <> $1');
  });

  it.each([
    ['SELECT :id, :other', 'the statement has no parameter other'],
    ['SELECT 1', 'the statement does not use id'],
  ])('refuses %s', (text, message) => {
    expect(() => statement({ id: 'uuid' }, text)).toThrow(message);
  });
});

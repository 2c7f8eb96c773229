import { expectAllDeliveredWhileKilling } from '../../test/support/event-kills.js';

describe('ten thousand events of a partner', () => {
  it('all arrive, in the order of each user, while replicas are killed', async () => {
    await expectAllDeliveredWhileKilling({ waiting: 10_000, users: 500, kills: 6 });
  });
});

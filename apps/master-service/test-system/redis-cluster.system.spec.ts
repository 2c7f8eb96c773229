import '@fd/testing/use-generous-limits';
import { MasterErrors } from '@fd/errors';
import { checkRedis, REDIS, type RedisClient } from '@fd/platform';
import { eventually, expectRefusal, inParallel, RedisCluster } from '@fd/testing';
import { storeApiKey } from '../src/api-keys/api-keys.repository.js';
import { createStores, startApp } from '../test/support/master-app.js';

const LIMIT = 20;

it('applies the limit exactly over two replicas on a Redis Cluster', async () => {
  const stores = await createStores();
  const cluster = await RedisCluster.start();
  const settings = {
    ...stores.environment,
    REDIS_URL: cluster.url,
    REDIS_CLUSTER: 'true',
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  };
  const replicas = [await startApp(settings), await startApp(settings)];
  try {
    // the clients discover the nodes first
    await eventually(async () => {
      for (const { app } of replicas) await checkRedis(app.get<RedisClient>(REDIS));
    });
    const apikey = 'the key of a client';
    await stores.withDatabase((source) => storeApiKey(source, 'client', apikey));
    await Promise.all(replicas.map((replica) => replica.refreshCatalogue()));
    const call = (i: number) => replicas[i % 2]!.anonymous.get('/api/v1/issuers', { headers: { apikey } });
    const answers = await inParallel(LIMIT + 5, call);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectRefusal(answer, MasterErrors.tooManyRequests);
  } finally {
    for (const replica of replicas) await replica.close();
    await cluster.stop();
    await stores.drop();
  }
});

import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { timeLimit } from '@fd/envelope';
import type { Express } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import { answerMalformedHttp, LINGER_MS } from './malformed-http.js';
import { OpenConnections } from './open-connections.js';

/** Timeouts of a client's headers and whole request. Node.js itself limits headers to 16 KiB. */
const TIMEOUTS = {
  headersTimeout: timeLimit(10_000),
  requestTimeout: timeLimit(15_000),
  connectionsCheckingInterval: 1_000,
};

/** How often a closing server looks for connections without a request. */
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * The server of the application's Express instance, in place of Nest's own, which can neither check its timeouts every second nor leave
 * requests without a host to the envelope.
 */
@Injectable()
export class HttpServer implements BeforeApplicationShutdown {
  /** Node.js's own; undefined before it listens. */
  server: Server | undefined;
  private connections: OpenConnections | undefined;

  constructor(private readonly host: HttpAdapterHost) {}

  get port(): number {
    return (this.server?.address() as AddressInfo).port;
  }

  /** @throws Error if the port is taken */
  async listen(config: HttpConfig, isTlsDemanded: boolean): Promise<void> {
    const { keepAliveSeconds, maxConnections, maxConnectionsPerAddress, connectionSilenceSeconds } = config;
    const express = this.host.httpAdapter.getInstance<Express>();
    const connections = (this.connections = new OpenConnections(maxConnectionsPerAddress));
    // longer than the gateway's own limit, so that it never uses a closing connection
    const keepAliveTimeout = keepAliveSeconds * 1_000;
    const options = { ...TIMEOUTS, ...expressClasses(express), keepAliveTimeout, requireHostHeader: false };
    const server = (this.server = createServer(options, (request, response) => {
      connections.addRequest(request, response, LINGER_MS);
      // refused already; the client has sent the rest of its request nevertheless
      if (!request.socket.writable) return void request.socket.destroy();
      express(request, response);
    }));
    server.on('connection', (socket: Socket) => connections.add(socket));
    answerMalformedHttp(server, config, isTlsDemanded);
    const idleMs = keepAliveTimeout + TIMEOUTS.headersTimeout;
    const closing = setInterval(
      () => connections.closeIdle(idleMs),
      TIMEOUTS.connectionsCheckingInterval,
    ).unref();
    server.once('close', () => clearInterval(closing));
    server.maxConnections = maxConnections;
    // also for a client that does not read its answer
    server.setTimeout(connectionSilenceSeconds * 1_000);
    server.listen(config.port, config.host);
    await once(server, 'listening');
  }

  /** Stops listening, and resolves once every request is answered. */
  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    const closed = once(server, 'close');
    server.close();
    const idle = setInterval(() => {
      server.closeIdleConnections();
      this.connections?.closeUnused();
    }, CLOSE_IDLE_EVERY_MS);
    await closed;
    clearInterval(idle);
  }
}

/**
 * Classes of Node.js for this application whose prototypes are those of its requests and answers: Express would change the prototype of
 * each object in use, which makes all that follows slower.
 */
function expressClasses(express: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  express.request = inheriting(ExpressRequest.prototype, express.request);
  express.response = inheriting(ExpressResponse.prototype, express.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse as typeof ServerResponse };
}

const inheriting = <T extends object>(prototype: object, parent: T): T =>
  Object.setPrototypeOf(prototype, parent) as T;

"""Checks of links, hosts, fragments, wireless hops, traffic and measuring."""

"""Simulated users solve challenges, and come from addresses as people and bots do."""

from ipaddress import ip_network

from ticketing.core import challenges as site
from ticketing.core import clock
from ticketing.rehearsal.simulator.users import challenges
from ticketing.rehearsal.simulator.users.http_client import BOTS_PER_RANGE, source_address


async def test_a_user_solves_what_the_site_asks_for():
    posed = site.new_challenge("join:7:1", 1, now=clock.now())

    solution = await challenges.solve(posed)

    assert site.check_solution(solution, "join:7:1", now=clock.now()).level == 1


def ranges(addresses: list[str]) -> set[str]:
    return {str(ip_network(f"{address}/24", strict=False)) for address in addresses}


def test_people_have_ranges_of_their_own_and_bots_share_a_few():
    people = [source_address(number) for number in range(500)]
    bots = [source_address(-1 - number) for number in range(200)]

    assert len(ranges(people)) == len(people)
    assert len(set(bots)) == len(bots)
    assert len(ranges(bots)) <= 200 / (2 * BOTS_PER_RANGE) + 1  # every second number is a bot's
    assert ranges(people).isdisjoint(ranges(bots))

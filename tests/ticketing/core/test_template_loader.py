"""Templates whose constant parts are rendered once for each language."""

import pytest
from django.conf import settings
from django.template import Context, Engine, TemplateDoesNotExist, engines
from django.template.base import TextNode
from django.template.defaulttags import LoadNode
from django.urls import reverse
from django.utils import translation

from ticketing.core.template_loader import ConstantNode, merge_constants

SOURCE = """{% load i18n static %}<a title="{% translate 'My orders' %}" href="
{% url 'payments:orders' %}">
{% if name %}{{ name }}{% translate "Log out" %}{% else %}{% translate "Log in" %}{% endif %}
{% for one in names %}{{ one }}: {% translate "Seat" %}, {% endfor %}{% static 'img/favicon.svg' %}
{% translate "Total" as total %}{{ total }}{% translate name %}{% url 'payments:order' code %}"""
LIBRARIES = {
    "i18n": "django.templatetags.i18n",
    "static": "django.templatetags.static",
}


def template(source, *, merged=True):
    found = Engine(libraries=LIBRARIES).from_string(source)
    if merged:
        merge_constants(found.nodelist)
    return found


def constants(nodelist):
    return [node for node in nodelist if isinstance(node, ConstantNode)]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", ["", "<Ann>"])
def test_a_merged_template_writes_what_it_wrote_before(language, name):
    whose = {"name": name, "names": [name, "Ben"], "code": "ABCDEFGH"}

    with translation.override(language):
        texts = [template(SOURCE, merged=it).render(Context(whose)) for it in (True, False)]

    assert texts[0] == texts[1]
    assert reverse("payments:orders") in texts[0]


def test_every_language_has_its_own_text():
    found = template('{% load i18n %}{% translate "My orders" %}')

    texts = []
    for language in ("ko", "en", "ko"):
        with translation.override(language):
            texts.append(found.render(Context()))

    assert texts == ["예매 내역", "My orders", "예매 내역"]


def test_what_is_not_html_is_not_escaped():
    source = '{% load i18n %}{% autoescape off %}{% translate "<b>" %}{% endautoescape %}'

    assert template(source).render(Context()) == "<b>"
    assert template('{% load i18n %}{% translate "a" %}').render(Context()) == "a"


@pytest.mark.parametrize(
    "personal",
    [
        "{{ name }}",
        "{% translate name %}",
        "{% translate 'Total' as name %}",
        "{% translate 'Total'|add:name %}",
        "{% url 'payments:order' name %}",
        "{% url 'payments:orders' as name %}",
        "{% static name %}",
        "{% if name %}{% endif %}",
        "{% csrf_token %}",
    ],
)
def test_nothing_of_a_page_is_kept(personal):
    found = template(f"{{% load i18n static %}}{personal}")

    assert not constants(found.nodelist)


def test_control_constants_are_kept():
    found = template("{% load i18n static %}{% translate 'Total' %}{% static 'img/favicon.svg' %}")

    assert len(found.nodelist) == len(constants(found.nodelist)) == 1


def test_a_constant_is_rendered_without_the_context_of_a_page():
    """Even if a tag were taken for a constant by mistake, it could show nobody's name."""
    found = Engine().from_string("{{ name }}")
    found.nodelist[:] = [ConstantNode(list(found.nodelist))]

    assert found.render(Context({"name": "Ann"})) == ""


def test_text_between_tags_that_write_nothing_stays_one_text():
    found = template("a{% load i18n %}b{% comment %}c{% endcomment %}d")

    [node] = found.nodelist
    assert isinstance(node, TextNode)
    assert node.s == "abd"
    assert not isinstance(node, LoadNode)


def test_pages_are_loaded_in_this_way():
    name = "payments/orders.html"
    page = engines["django"].get_template(name).template

    blocks = page.nodelist[0].blocks
    assert constants(blocks["title"].nodelist)
    assert page is engines["django"].get_template(name).template  # kept
    with pytest.raises(TemplateDoesNotExist):
        engines["django"].get_template("payments/no such page.html")


def test_every_template_of_the_site_can_be_loaded():
    folder = settings.BASE_DIR / "templates"

    for path in folder.rglob("*.html"):
        assert engines["django"].get_template(str(path.relative_to(folder)))

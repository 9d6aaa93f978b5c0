"""Loads templates so that what is the same in every page of a language is rendered once.

A third of the time of a page's template went into texts, addresses of views and addresses of files,
which depend on nothing but the language. Such neighbours in a template become one `ConstantNode`.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, cast

from django.template import Context, Template
from django.template.base import FilterExpression, Node, NodeList, TextNode, Variable
from django.template.defaulttags import CommentNode, IfNode, LoadNode, URLNode
from django.template.loaders import base, cached
from django.templatetags.i18n import TranslateNode
from django.templatetags.static import StaticNode
from django.utils.safestring import SafeString
from django.utils.translation import get_language

PLAIN = (TextNode, LoadNode, CommentNode)  # the same in all languages


class ConstantNode(Node):
    """Neighbours that need nothing of the page: rendered without its context, so never personal."""

    child_nodelists = ()

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = NodeList(nodes)
        self._texts: dict[tuple[str | None, bool], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = get_language(), context.autoescape
        text = self._texts.get(key)
        if text is None:
            empty, page = Context(autoescape=context.autoescape), cast("Template", context.template)
            with empty.bind_template(page):
                self._texts[key] = text = self.nodes.render(empty)
        return text


class _MergingLoader(base.Loader):
    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        merge_constants(template.nodelist)
        return template


class Loader(cached.Loader, _MergingLoader):
    """Django's caching loader, whose templates are merged before anybody renders them."""


def merge_constants(nodelist: NodeList) -> None:
    """Replace neighbours that are constant, here and in all tags inside."""
    merged: list[Node] = []
    for constant, group in groupby(nodelist, is_constant):
        nodes = list(group)
        merged += [_merged(nodes)] if constant else nodes
    nodelist[:] = merged
    for node in merged:
        for inner in _nodelists(node):
            merge_constants(inner)


def is_constant(node: Node) -> bool:
    """Whether it writes the same on every page of a language, and nothing into the context."""
    match node:
        case TextNode() | LoadNode() | CommentNode():
            return True
        case TranslateNode():
            parts = [node.filter_expression, *filter(None, [node.message_context])]
            return node.asvar is None and all(map(_is_literal, parts))
        case URLNode():
            parts = [node.view_name, *node.args, *node.kwargs.values()]
            return node.asvar is None and all(map(_is_literal, parts))
        case StaticNode():
            return node.varname is None and _is_literal(node.path)
    return False


def _is_literal(expression: FilterExpression) -> bool:
    value = expression.var
    return not expression.filters and (not isinstance(value, Variable) or value.lookups is None)


def _merged(nodes: list[Node]) -> Node:
    if all(isinstance(node, PLAIN) for node in nodes):
        node: Node = TextNode("".join(node.s for node in nodes if isinstance(node, TextNode)))
    else:
        node = ConstantNode(nodes)
    node.token, node.origin = nodes[0].token, nodes[0].origin  # for Django's error pages
    return node


def _nodelists(node: Node) -> Iterator[NodeList]:
    if isinstance(node, IfNode):  # whose `nodelist` is a copy
        yield from (nodelist for _, nodelist in node.conditions_nodelists)
        return
    for name in node.child_nodelists:
        if isinstance(nodelist := getattr(node, name, None), NodeList):
            yield nodelist
